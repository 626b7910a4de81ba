#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/load_recorder.hpp>

#include "objects/messaging/message_exchange.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Detects that all ranks are idle and no message is under way, without a barrier. Sums the messages sent and
/// received by all ranks in waves, each a nonblocking reduction that a rank joins when it is idle. If two
/// successive waves have the same sums and as many messages were received as sent, no message was under way
/// between them. Each wave also compares the collective calls that the ranks are in, by a hash.
///
/// Source: the four-counter method of F. Mattern, "Algorithms for distributed termination detection",
/// Distributed Computing 2 (1987), 161-175.
class Quiescence {
 public:
  /// `communicator` must outlive this object. While a detection runs, nothing else may call collective
  /// operations on it.
  explicit Quiescence(const mpi::Communicator& communicator) : communicator_(communicator) {}
  Quiescence(const Quiescence&) = delete;
  Quiescence& operator=(const Quiescence&) = delete;
  /// Collective: waits until all ranks have called it, so that it leaves no reduction under way. Other ranks
  /// whose detection runs get an error from is_reached(). Does nothing after MPI_Finalize.
  ~Quiescence();

  /// Returns the calls that have prepared a collective call, each as one line of text.
  using Preparations = std::function<std::vector<std::string>()>;
  /// Describes the collective call that this rank is in, for the comparison in all waves from now on.
  /// `preparations`, whose hash is passed as well, is called only if the ranks differ.
  void set_call(std::string call, std::uint64_t hash_of_preparations = 0, Preparations preparations = {});
  /// Waits until all ranks are in a collective call, which must be the same. Waits with `wait`. Throws like
  /// is_reached().
  void meet(std::string call, const runtime::WatchedWait& wait = &mpi::wait);

  /// Joins the next wave, or tests whether the current one is complete. A rank calls this whenever it is
  /// idle: it has no local work, and has sent all messages. `sent` and `received` are the numbers of messages
  /// that it has sent and received since the start. Returns true on all ranks in the same wave. The next call
  /// then starts another detection.
  ///
  /// Throws Error (system) if another rank has destroyed its Quiescence, which an exception causes, or if MPI
  /// fails. Throws Error (usage) on all ranks, and ends the detection, if they are in different calls.
  bool is_reached(std::int64_t sent, std::int64_t received);
  /// Returns whether this detection has shown that all ranks take part in it.
  bool all_ranks_take_part() const { return previous_.has_value(); }

 private:
  struct Sums {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t ranks_leaving = 0;
    std::uint64_t calls = 0;  ///< hashes of the calls; equal if the sum is that of equal hashes
    bool operator==(const Sums&) const = default;
  };

  void start_wave(const Sums& mine);
  void check_wave();
  [[noreturn]] void throw_different_calls();
  std::string text_of_call() const;

  const mpi::Communicator& communicator_;
  std::string call_;
  Preparations preparations_;
  std::uint64_t call_hash_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
  Sums mine_;
  Sums all_;
  std::optional<Sums> previous_;  ///< of the previous wave of this detection
};

/// Delivers messages and does local work until all ranks are idle and no message is under way. Collective,
/// but without a barrier at the start. `bool local_work()` does some of this rank's work
/// and returns whether it did. Messages of this rank are sent at the latest when it has no more work. An idle
/// rank sleeps between its tests for messages, so that other ranks can use its core.
///
/// An exception of `deliver` or `local_work` ends the function on this rank. The other ranks get an error
/// once this rank has destroyed `quiescence`, which must happen before it destroys `exchange`.
template <class Deliver, class LocalWork>
void run_until_quiet(MessageExchange& exchange, Quiescence& quiescence, Deliver&& deliver,
                     LocalWork&& local_work) {
  for (mpi::Backoff backoff;;) {
    const bool has_received = exchange.receive(deliver);
    const bool has_worked = local_work();
    if (has_received || has_worked) {
      backoff.reset();
      continue;
    }
    exchange.flush();
    if (quiescence.is_reached(exchange.sent(), exchange.received())) return;
    backoff.pause();
  }
}

}  // namespace plimsoll::objects
