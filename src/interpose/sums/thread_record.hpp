#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/callers/caller_sums.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/parts/run_parts.hpp"
#include "interpose/rules/transfer.hpp"
#include "interpose/sums/function.hpp"
#include "interpose/sums/sum_table.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::FunctionSums;
using collectives::MessageSums;
using collectives::SiteRecord;
using collectives::SumKey;
using collectives::rank_sums::Direction;

/// The calls of one thread, in sums.
class ThreadRecord {
 public:
  using Sites = SumTable<SiteRecord>;        ///< by return address and Function
  using Functions = SumTable<FunctionSums>;  ///< by 0 and Function
  using Messages = SumTable<MessageSums>;    ///< by rank in MPI_COMM_WORLD and Direction

  /// Creates the record of the thread with this number, in a file unless that is null.
  ThreadRecord(collectives::SumsFile* file, std::uint32_t number);
  ThreadRecord(const ThreadRecord&) = delete;
  ThreadRecord& operator=(const ThreadRecord&) = delete;

  /// Begins the recording of a thread that will call MPI.
  void begin(std::uint64_t now_ns) { leave({}, now_ns); }
  /// Ends it: another thread may continue the record later.
  void end() { left_ns_ = 0; }
  /// Adds a call, and returns its place.
  CallPlace add_call(Function function, const void* return_address, const CallTime& time, bool failed,
                     const Transfer& transfer) {
    const SumKey place = {reinterpret_cast<std::uintptr_t>(return_address),
                          static_cast<std::uint32_t>(function)};
    const bool was_outside = left_ns_ != 0 && interval_ == interval_between_pauses();
    const std::uint64_t outside_ns = was_outside ? time.begin_ns - left_ns_ : 0;
    SiteRecord& site = sites_[place];
    FunctionSums& sums = functions_[{0, static_cast<std::uint32_t>(function)}];  // both sums, or none
    site.sums.add({.calls = 1,
                   .failed_calls = failed,
                   .sent_bytes = transfer.sent_bytes,
                   .received_bytes = transfer.received_bytes,
                   .time_ns = time.duration_ns,
                   .longest_call_ns = time.duration_ns,
                   .outside_ns = outside_ns});
    site.previous.add(previous_, outside_ns);
    leave(place, time.begin_ns + time.duration_ns);
    sums.sizes.add(transfer.sent_bytes > 0 ? transfer.sent_bytes : transfer.received_bytes, time.duration_ns);
    const std::uint64_t begin_ns = since_run_began(time.begin_ns);
    sums.windows.add(begin_ns, begin_ns + time.duration_ns);
    regions_ns_[current_region()] += time.duration_ns;
    return {place, callers_.add_call(function, return_address,
                                     {.calls = 1,
                                      .failed_calls = failed,
                                      .sent_bytes = transfer.sent_bytes,
                                      .received_bytes = transfer.received_bytes,
                                      .time_ns = time.duration_ns,
                                      .waits = {}})};
  }
  void add_messages(const Transfer& transfer) {
    add_message(transfer.to, Direction::to_peer);
    add_message(transfer.from, Direction::from_peer);
  }

  const Sites& sites() const { return sites_; }
  const Functions& functions() const { return functions_; }
  const Messages& messages() const { return messages_; }
  /// Returns the time in calls by region.
  const RegionTimes& regions_ns() const { return regions_ns_; }
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
    *last_ns_ = now_ns;
  }

  Sites sites_;
  Functions functions_;
  Messages messages_;
  SumKey previous_;            ///< of the last call
  std::uint64_t left_ns_ = 0;  ///< end of the last call; 0 before the first one
  std::uint32_t interval_ = 0;
  RegionTimes regions_ns_ = {};
  CallersOfThread callers_;
  std::uint64_t memory_ns_ = 0;
  std::uint64_t* last_ns_ = &memory_ns_;  ///< end of the last call, in the file if it is there
};

/// Lets the records of all threads be in a file, which must exist as long as the process. Call it before the
/// first record.
void keep_records_in(collectives::SumsFile* file);

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
