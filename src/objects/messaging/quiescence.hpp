#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::inline v0_1::objects {

/// Detects that all ranks are idle and no message is under way, without a barrier. Sums the messages sent and
/// received by all ranks in waves, each a nonblocking reduction that a rank joins when it is idle. If two
/// successive waves have the same sums and as many messages were received as sent, no message was under way
/// between them.
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

  /// Joins the next wave, or tests whether the current one is complete. A rank calls this whenever it is
  /// idle: it has no local work, and has sent all messages. `sent` and `received` are the numbers of messages
  /// that it has sent and received since the start. Returns true on all ranks in the same wave. The next call
  /// then starts another detection.
  ///
  /// Throws Error (system) if another rank has destroyed its Quiescence, which an exception causes, or if MPI
  /// fails.
  bool is_reached(std::int64_t sent, std::int64_t received);

 private:
  struct Sums {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::int64_t ranks_leaving = 0;
    bool operator==(const Sums&) const = default;
  };

  void start_wave(const Sums& mine);
  bool wave_is_complete();

  const mpi::Communicator& communicator_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  Sums mine_;
  Sums all_;
  std::optional<Sums> previous_;  ///< of the previous wave of this detection
};

}  // namespace plimsoll::objects
