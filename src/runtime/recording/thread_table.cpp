#include "runtime/recording/thread_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// What a thread remembers, so that it need not search.
struct LastUse {
  std::uint64_t table = 0;
  ThreadWork* work = nullptr;
};
constinit thread_local LastUse last_use;

}  // namespace

std::uint64_t ThreadTable::new_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

ThreadWork& ThreadTable::mine() {
  if (last_use.table != number_) [[unlikely]]
    last_use = {number_, &find_or_add()};
  return *last_use.work;
}

ThreadWork& ThreadTable::find_or_add() {
  const std::lock_guard lock(mutex_);
  const pid_t system_id = ::gettid();
  const auto found = std::ranges::find(threads_, system_id, [](const auto& work) { return work->system_id; });
  if (found != threads_.end()) return **found;
  threads_.push_back(std::make_unique<ThreadWork>(next_thread_++, system_id, source_, with_cpu_time_));
  return *threads_.back();
}

void ThreadTable::end_phase() {
  const auto is_unused = [](const auto& work) { return !work->used; };
  if (std::erase_if(threads_, is_unused) > 0) number_ = new_number();
  for (const auto& work : threads_) work->clear();
}

}  // namespace plimsoll::runtime
