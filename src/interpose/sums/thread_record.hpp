#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/sums/function.hpp"
#include "interpose/sums/sum_table.hpp"
#include "interpose/sums/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::MessageSums;
using collectives::SiteSums;

enum class Direction : std::uint32_t { to_peer, from_peer };

/// The calls of one thread, in sums.
class ThreadRecord {
 public:
  using Sites = SumTable<SiteSums>;        ///< by return address and Function
  using Messages = SumTable<MessageSums>;  ///< by rank in MPI_COMM_WORLD and Direction

  void add_call(Function function, const void* return_address, std::uint64_t time_ns, bool failed,
                const Transfer& transfer) {
    sites_[{reinterpret_cast<std::uintptr_t>(return_address), static_cast<std::uint32_t>(function)}].add(
        {.calls = 1,
         .failed_calls = failed,
         .sent_bytes = transfer.sent_bytes,
         .received_bytes = transfer.received_bytes,
         .time_ns = time_ns,
         .longest_call_ns = time_ns});
  }
  void add_messages(const Transfer& transfer) {
    add_message(transfer.to, Direction::to_peer);
    add_message(transfer.from, Direction::from_peer);
  }

  const Sites& sites() const { return sites_; }
  const Messages& messages() const { return messages_; }

 private:
  void add_message(const Transfer::Message& message, Direction direction) {
    if (message.peer < 0) return;
    messages_[{static_cast<std::uint64_t>(message.peer), static_cast<std::uint32_t>(direction)}].add(
        {.messages = 1, .bytes = message.bytes});
  }

  Sites sites_;
  Messages messages_;
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
