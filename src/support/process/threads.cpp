#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

unsigned resolve_threads(unsigned threads) {
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body) {
  const std::size_t workers = std::min<std::size_t>(count, resolve_threads(threads));
  if (workers <= 1) {
    for (std::size_t index = 0; index < count; ++index) body(index);
    return;
  }

  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t failed_index = count;
  std::exception_ptr failure;

  // Every index below a failed one has been handed out before it and is finished, not dropped. Therefore the
  // lowest failure is the same for every number of threads.
  const auto work = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        body(index);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (index < failed_index) {
          failed_index = index;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(workers - 1);
    try {
      while (helpers.size() < workers - 1) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // The system provides no more threads; the existing ones do the work.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace plimsoll::support
