#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Work that the threads other than the recorder's own have recorded in the current phase.
///
/// Each thread writes to its own ThreadWork only, and only the first call of a thread takes a lock. The
/// recorder's own thread reads and clears the table while no other thread is in a call. The program ensures
/// this, e.g. by joining its threads or with the barrier at the end of an OpenMP parallel region.
class ThreadTable {
 public:
  ThreadTable(Clock::Source source, bool with_cpu_time) : source_(source), with_cpu_time_(with_cpu_time) {}

  /// Returns the work of the calling thread. Takes a few nanoseconds, except for the first call of a thread
  /// and for a thread that uses several recorders in turn.
  ThreadWork& mine();
  /// Returns the work of all threads, ordered by thread number.
  std::span<const std::unique_ptr<ThreadWork>> all() const { return threads_; }

  /// Discards the times and messages of all threads, and everything about threads that recorded nothing in
  /// this phase, because they may have ended. Cost: O(threads x (slots x subphases + edges)).
  void end_phase();

 private:
  ThreadWork& find_or_add();
  static std::uint64_t new_number();

  Clock::Source source_;
  bool with_cpu_time_;
  // Number of this table and of its set of threads, unique in the process. A thread remembers its work
  // together with this number.
  std::uint64_t number_ = new_number();
  std::mutex mutex_;  // for adding threads
  int next_thread_ = 1;
  std::vector<std::unique_ptr<ThreadWork>> threads_;
};

}  // namespace plimsoll::runtime
