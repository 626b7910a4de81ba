#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi_calls/recording/function.hpp"
#include "mpi_calls/recording/members.hpp"
#include "mpi_calls/recording/sum_table.hpp"
#include "mpi_calls/recording/transfer.hpp"

namespace plimsoll::inline v0_1::mpi_calls {

/// Sums over the calls of a function from one place in the code. All members are sums but the last one.
struct SiteSums {
  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t longest_call_ns = 0;

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
    SiteSums& site =
        sites_[{reinterpret_cast<std::uintptr_t>(return_address), static_cast<std::uint32_t>(function)}];
    site.add({.calls = 1,
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

  RecentMembers<OfCommunicators> communicators;
  RecentMembers<OfWindows> windows;

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

}  // namespace plimsoll::mpi_calls
