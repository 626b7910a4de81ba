#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/callers/caller_sums.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/parts/run_parts.hpp"
#include "interpose/sums/function.hpp"
#include "interpose/sums/sum_table.hpp"
#include "interpose/sums/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::MessageSums;
using collectives::SiteSums;

/// The place of the calls after which a thread spends most of the time before its calls from another place:
/// the candidate of a majority vote in which times vote (R. S. Boyer, J. S. Moore: MJRTY, 1991).
struct PreviousCalls {
  SumKey place;                ///< 0: begin of the recording
  std::uint64_t after_ns = 0;  ///< time after calls from there, from when it became the candidate
  std::uint64_t votes_ns = 0;

  void add(const SumKey& previous, std::uint64_t time_ns) {
    if (previous == place) {
      after_ns += time_ns;
      votes_ns += time_ns;
    } else if (time_ns <= votes_ns) {
      votes_ns -= time_ns;
    } else {
      *this = {previous, time_ns, time_ns - votes_ns};
    }
  }
  /// Adds the calls of another thread.
  void add(const PreviousCalls& other) { add(other.place, other.after_ns); }
};

struct CallSite {
  SiteSums sums;
  PreviousCalls previous;

  /// Adds the calls of another thread.
  void add(const CallSite& other) {
    sums.add(other.sums);
    previous.add(other.previous);
  }
};

enum class Direction : std::uint32_t { to_peer, from_peer };

/// The calls of one thread, in sums.
class ThreadRecord {
 public:
  using Sites = SumTable<CallSite>;        ///< by return address and Function
  using Messages = SumTable<MessageSums>;  ///< by rank in MPI_COMM_WORLD and Direction

  /// Begins the recording of a thread that will call MPI.
  void begin(std::uint64_t now_ns) { leave({}, now_ns); }
  /// Ends it: another thread may continue the record later.
  void end() { left_ns_ = 0; }
  void add_call(Function function, const void* return_address, const CallTime& time, bool failed,
                const Transfer& transfer) {
    const SumKey place = {reinterpret_cast<std::uintptr_t>(return_address),
                          static_cast<std::uint32_t>(function)};
    const bool was_outside = left_ns_ != 0 && interval_ == interval_between_pauses();
    const std::uint64_t outside_ns = was_outside ? time.begin_ns - left_ns_ : 0;
    CallSite& site = sites_[place];
    site.sums.add({.calls = 1,
                   .failed_calls = failed,
                   .sent_bytes = transfer.sent_bytes,
                   .received_bytes = transfer.received_bytes,
                   .time_ns = time.duration_ns,
                   .longest_call_ns = time.duration_ns,
                   .outside_ns = outside_ns});
    site.previous.add(previous_, outside_ns);
    leave(place, time.begin_ns + time.duration_ns);
    callers_.add_call(function, return_address, time.duration_ns);
  }
  void add_messages(const Transfer& transfer) {
    add_message(transfer.to, Direction::to_peer);
    add_message(transfer.from, Direction::from_peer);
  }

  void add_time(const CallTime& time) {
    const std::uint64_t begin_ns = since_run_began(time.begin_ns);
    parts_.add(begin_ns, begin_ns + time.duration_ns, current_region());
  }

  const Sites& sites() const { return sites_; }
  const Messages& messages() const { return messages_; }
  const PartTimes& parts() const { return parts_; }
  const CallersOfThread& callers() const { return callers_; }

 private:
  void add_message(const Transfer::Message& message, Direction direction) {
    if (message.peer < 0) return;
    messages_[{static_cast<std::uint64_t>(message.peer), static_cast<std::uint32_t>(direction)}].add(
        {.messages = 1, .bytes = message.bytes});
  }

  void leave(const SumKey& place, std::uint64_t now_ns) {
    previous_ = place;
    left_ns_ = now_ns;
    interval_ = interval_between_pauses();
  }

  Sites sites_;
  Messages messages_;
  SumKey previous_;            ///< of the last call
  std::uint64_t left_ns_ = 0;  ///< end of the last call; 0 before the first one
  std::uint32_t interval_ = 0;
  PartTimes parts_;
  CallersOfThread callers_;
};

/// Returns the record of this thread. Memory is bounded by the largest number of threads that call MPI at the
/// same time, because a new thread continues the record of a thread that has ended. Throws std::bad_alloc.
inline ThreadRecord& record_of_this_thread();

/// Returns the records of all threads, including those that have ended.
std::vector<const ThreadRecord*> all_thread_records();

namespace detail {
inline constinit thread_local ThreadRecord* thread_record = nullptr;
ThreadRecord& take_record();
}  // namespace detail

inline ThreadRecord& record_of_this_thread() {
  return detail::thread_record ? *detail::thread_record : detail::take_record();
}

}  // namespace plimsoll::interpose
