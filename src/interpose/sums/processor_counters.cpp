#include "interpose/sums/processor_counters.hpp"

#include <linux/perf_event.h>
#include <linux/version.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::optional<std::uint64_t> count_of(const support::Descriptor& counter) {
  std::array<std::uint64_t, 3> values = {};
  if (::read(counter.number(), values.data(), sizeof values) != sizeof values) return std::nullopt;
  const auto [count, exists_ns, counted_ns] = values;
  if (counted_ns == exists_ns) return count;
  if (counted_ns == 0) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(exists_ns) /
                                    static_cast<double>(counted_ns));
}

std::optional<std::uint64_t> sum_of(const std::vector<support::Descriptor>& counters) {
  std::optional<std::uint64_t> sum;
  for (const support::Descriptor& counter : counters) {
    const auto count = count_of(counter);
    if (!count) return std::nullopt;
    sum = sum.value_or(0) + *count;
  }
  return sum;
}

}  // namespace

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; !error && thread != end;
       thread.increment(error)) {
    const std::string name = thread->path().filename().string();
    std::from_chars(name.data(), name.data() + name.size(), threads.emplace_back());
  }
  return threads;
}

// Source: perf_event_open(2).
int ProcessorCounters::open_counter(Event event, pid_t thread) {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = event == Event::cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = 1;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
  attributes.inherit_thread = 1;  // not by child processes
#endif
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

void ProcessorCounters::open(Open open_one) {
  for (const pid_t thread : threads_of_process()) {
    errno = 0;
    support::Descriptor instructions(open_one(Event::instructions, thread));
    support::Descriptor cycles(open_one(Event::cycles, thread));
    const bool has_ended = errno == ESRCH;
    if ((!instructions.is_open() || !cycles.is_open()) && has_ended) continue;
    if (!instructions.is_open() || !cycles.is_open()) {
      instructions_.clear();
      cycles_.clear();
      return;
    }
    instructions_.push_back(std::move(instructions));
    cycles_.push_back(std::move(cycles));
  }
}

ProcessorCounters::Counts ProcessorCounters::read() const {
  return {sum_of(instructions_), sum_of(cycles_)};
}

}  // namespace plimsoll::interpose
