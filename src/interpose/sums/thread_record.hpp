#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interpose/sums/function.hpp"
#include "interpose/sums/sum_table.hpp"
#include "interpose/sums/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Sums over the calls of a function from one place in the code.
struct SiteSums {
  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t longest_call_ns = 0;

  void add_call(std::uint64_t call_ns, bool failed, const Transfer& transfer) {
    ++calls;
    failed_calls += failed;
    sent_bytes += transfer.sent_bytes;
    received_bytes += transfer.received_bytes;
    time_ns += call_ns;
    longest_call_ns = std::max(longest_call_ns, call_ns);
  }
  /// Adds the calls of another thread, or of another address of the same place.
  void add(const SiteSums& other) {
    calls += other.calls;
    failed_calls += other.failed_calls;
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    time_ns += other.time_ns;
    longest_call_ns = std::max(longest_call_ns, other.longest_call_ns);
  }
};

/// Sums over the messages between this rank and a peer, in one direction.
struct MessageSums {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(const MessageSums& other) {
    messages += other.messages;
    bytes += other.bytes;
  }
};

enum class Direction : std::uint32_t { to_peer, from_peer };

/// The calls of one thread, in sums.
class ThreadRecord {
 public:
  using Sites = SumTable<SiteSums>;        ///< by return address and Function
  using Messages = SumTable<MessageSums>;  ///< by rank in MPI_COMM_WORLD and Direction

  void add_call(Function function, const void* return_address, std::uint64_t time_ns, bool failed,
                const Transfer& transfer) {
    sites_[{reinterpret_cast<std::uintptr_t>(return_address), static_cast<std::uint32_t>(function)}].add_call(
        time_ns, failed, transfer);
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
