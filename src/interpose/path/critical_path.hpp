#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interpose/handles/communicator_names.hpp"
#include "interpose/handles/communicators.hpp"
#include "interpose/path/ideal_clock.hpp"
#include "interpose/path/notes.hpp"
#include "interpose/path/outbox.hpp"
#include "interpose/rules/dependence.hpp"
#include "interpose/rules/transfer.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// What the receiver of a message tells its sender if it was late: when it was ready.
struct LateReceiver {
  std::int64_t number = 0;  ///< of the message
  std::int64_t ready_ns = 0;
};

/// The critical path of a program, and the waiting of this rank, measured in every call. This rank knows the
/// useful time along the longest chain of messages that ends in it: its IdealClock. A note beside each
/// message tells that of the sender, and the receiver continues the longer one; a collective takes the
/// maximum over the ranks on which this rank depends. The longest chain at the end is the run time on a
/// network of zero cost, which POP calls ideal. The notes also tell which of sender and receiver was late.
///
/// Notes name the program's communicator, whose ranks agree on its name without communication. Maxima use the
/// communicator itself: all ranks begin them after the same collective of the program.
///
/// One thread at a time may call MPI. All times are those of a clock that the ranks share.
class CriticalPath {
 public:
  /// Why the path is unknown, in the order in which users should hear of it if it has several causes.
  enum class Unknown : std::int8_t {
    no,
    errors,          ///< of MPI, or of this rank
    cancellations,   ///< of messages
    freed_requests,  ///< of receives in progress
    neighbors,       ///< collectives on them
    functions,       ///< that are not followed
    groups,          ///< messages between them, or with processes outside MPI_COMM_WORLD
    communicators,   ///< whose creation was not seen
  };

  /// Collective over `answers`, a communicator with the ranks of MPI_COMM_WORLD, which other parts do not use
  /// meanwhile. `waits` is the table to which waits are added. `one_thread` tells that only the thread that
  /// marks regions may call MPI; else regions are not followed.
  CriticalPath(MPI_Comm answers, WaitTable waits, bool one_thread)
      : answers_(answers),
        one_thread_(one_thread),
        waits_{.places = std::move(waits), .parts = {}},
        notes_(answers) {}

  /// Begins the useful time.
  void begin(std::int64_t now_ns, std::int64_t run_begin_ns) { clock_.start(now_ns, run_begin_ns); }
  /// Useful time does not count during pauses, as in the recorded time.
  void pause(bool paused, std::int64_t now_ns) { clock_.pause(paused, now_ns, current_region()); }
  /// Adds the useful time until now to the current region, which ends. Other threads may be in MPI calls.
  void leave_region(std::int64_t now_ns) {
    if (one_thread_) clock_.run_until(now_ns, current_region());
  }

  // The steps of a call, in this order. A collective begins here when the program's has succeeded: others do
  // not take part in one that MPI rejects.
  void begin_call(std::int64_t now_ns);
  void send(const Envelope& message);
  void receive(const Envelope& message);
  void begin_collective(const rules::Collective& collective, rules::Dependence dependence);
  void end_collective();
  /// Tells when the last rank on which this rank depends began the call.
  void await(std::int64_t begin_ns);
  void end_call(std::int64_t now_ns, const CallPlace& place);

  /// Ends the maxima on a communicator that is about to be freed: MPI may not keep it for them.
  void end_maxima_on(MPI_Comm communicator);

  // Messages found by MPI_Probe or MPI_Mprobe, which another call receives.
  void find(const Envelope& message);
  void match(MPI_Message handle, const Envelope& message);
  void receive_matched(MPI_Message handle);

  // Nonblocking communication: within the call that begins it, and within the one that completes it.
  void remember_send(MPI_Request request);
  void remember_receive(MPI_Request request, const Envelope& message);
  void remember_collective(MPI_Request request);
  /// Returns whether a request is followed.
  bool is_open(MPI_Request request) const { return open_.contains(request); }
  /// `source` and `tag` are those of a received message, without wildcards.
  void complete(MPI_Request request, int source, int tag);
  /// Whether requests are open, whose completion needs a status: a receive may be cancelled or have
  /// wildcards.
  bool needs_statuses() const { return !open_.empty(); }

  // Persistent requests: `is_sent` tells their direction.
  void remember_persistent(MPI_Request request, const Envelope& message, bool is_sent);
  void start(MPI_Request request);
  void forget(MPI_Request request);
  void forget_cancelled(MPI_Request request);

  /// A message that cannot be followed: the path is unknown.
  void lose(Unknown cause) { unknown_ = std::max(unknown_, cause); }

  /// Ends the measurement on all ranks: collective. Call it in a pause.
  void finish();
  Unknown unknown() const { return unknown_; }
  const IdealClock& clock() const { return clock_; }
  const Waits& waits() const { return waits_; }

 private:
  /// Maximum over the ranks on which this rank depends in a collective: of their chains, and of their
  /// arrivals.
  struct SharedMaximum {
    std::array<std::int64_t, 2> values = {};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    bool has_result = false;  ///< whether this rank depends on others
  };

  /// A request of the program.
  struct Open {
    std::shared_ptr<const Channel> channel;  ///< of a receive; null: none
    int source = MPI_ANY_SOURCE;             ///< of its message, or a wildcard
    int tag = MPI_ANY_TAG;
    std::int64_t ready_ns = 0;               ///< when the receive began
    std::int64_t number = 0;                 ///< of a message whose receiver may answer; 0: none
    std::unique_ptr<SharedMaximum> maximum;  ///< of a collective
  };

  /// A persistent request for messages to or from a rank.
  struct Persistent {
    std::shared_ptr<const Channel> channel;
    Envelope message;
    bool is_sent = false;
  };

  /// A message found by MPI_Mprobe, whose sender may want an answer.
  struct Matched {
    std::int64_t number = 0;
    std::int64_t begin_ns = 0;
    int world_rank = 0;
  };

  /// A call that took long, in which receivers may have been late. Their answers follow.
  struct Stall {
    MeasuredCall call;
    std::int64_t awaited_ns;
    std::vector<std::int64_t> numbers;
  };

  const std::shared_ptr<const Channel>& channel_of(MPI_Comm communicator);
  void join(std::int64_t chain_ns, std::int64_t begin_ns);
  void send(const Channel& channel, const Envelope& message);
  void remember_receive(MPI_Request request, const std::shared_ptr<const Channel>& channel,
                        const Envelope& message);
  bool is_awaited(const Channel& channel, const Envelope& message) const;
  Matched take_note(const Channel& channel, int source, int tag);
  void answer_if_late(const Matched& message, std::int64_t ready_ns);
  void answer(int world_rank, const LateReceiver& answer);
  void finish_maximum(std::unique_ptr<SharedMaximum> maximum);
  void end_sent_maxima();
  void forget_maximum(std::unique_ptr<SharedMaximum>& maximum);
  void take_answers();
  void take(const LateReceiver& answer);
  void end_first_stall();

  MPI_Comm answers_;
  Unknown unknown_ = Unknown::no;
  bool one_thread_;
  IdealClock clock_;
  std::int64_t messages_ = 0;
  std::unordered_map<MPI_Request, Open> open_;
  std::unordered_map<MPI_Request, Persistent> persistent_;
  std::unordered_map<MPI_Message, Matched> matched_;
  /// In progress: other ranks need their results, but this rank does not, or no longer.
  std::vector<std::unique_ptr<SharedMaximum>> sent_maxima_;
  Waits waits_;

  // The current call.
  std::int64_t begin_ns_ = 0;
  std::int64_t awaited_ns_ = 0;  ///< when the last rank on which this rank depends began
  bool is_measured_ = false;     ///< whether the waiting in it becomes known
  std::vector<std::int64_t> sent_;
  std::unique_ptr<SharedMaximum> maximum_;

  std::deque<Stall> stalls_;
  std::uint64_t stalled_calls_ = 0;
  std::unordered_map<std::int64_t, Stall*> stall_of_message_;
  Notes notes_;
  Outbox<LateReceiver> sent_answers_;
  std::vector<int> answers_to_;  ///< number of answers by rank
  int answers_taken_ = 0;
};

}  // namespace plimsoll::interpose
