#include "interpose/sums/processor_time.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include <plimsoll/collectives/number_list.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Returns the time that this thread was ready to run, but waited for a core; nothing if the system does not
/// count it. Source: Documentation/scheduler/sched-stats.rst of Linux.
std::optional<double> core_wait_s() {
  std::ifstream stat("/proc/thread-self/schedstat");
  std::uint64_t on_core_ns = 0;
  std::uint64_t ready_ns = 0;
  std::uint64_t slices = 0;
  if (!(stat >> on_core_ns >> ready_ns >> slices) || slices == 0) return std::nullopt;
  return 1e-9 * static_cast<double>(ready_ns);
}

ProcessorTime now(const ProcessorCounters& counters) {
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return {};
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const auto [instructions, cycles] = counters.read();
  return {.user_s = seconds(usage.ru_utime),
          .system_s = seconds(usage.ru_stime),
          .voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw),
          .core_wait_s = core_wait_s(),
          .instructions = instructions,
          .cycles = cycles};
}

template <class Value>
void add_difference(std::optional<Value> begin, std::optional<Value> end, std::optional<Value>& sum) {
  if (begin && end && sum)
    *sum += std::max(*end, *begin) - *begin;  // estimates of counts may fall
  else
    sum.reset();
}

/// A set of core numbers, which is larger than that of the C library.
struct Cores {
  static constexpr std::size_t max_cores = 1 << 14;
  std::array<cpu_set_t, max_cores / CPU_SETSIZE> sets = {};

  void add_those_of(pid_t thread) {
    Cores cores;
    if (sched_getaffinity(thread, sizeof sets, cores.sets.data()) == 0)
      CPU_OR_S(sizeof sets, sets.data(), sets.data(), cores.sets.data());
  }
  bool contain(std::size_t core) const { return CPU_ISSET_S(core, sizeof sets, sets.data()); }
};

}  // namespace

void ProcessorClock::begin() {
  const std::lock_guard lock(mutex_);
  if (thread_ == std::thread::id()) {
    thread_ = std::this_thread::get_id();
    counters_.open();
  }
  if (thread_ != std::this_thread::get_id()) sum_.core_wait_s.reset();
  begin_ = now(counters_);
}

void ProcessorClock::end() {
  const std::lock_guard lock(mutex_);
  const ProcessorTime end = now(counters_);
  add_difference(begin_.user_s, end.user_s, sum_.user_s);
  add_difference(begin_.system_s, end.system_s, sum_.system_s);
  add_difference(begin_.voluntary_switches, end.voluntary_switches, sum_.voluntary_switches);
  add_difference(begin_.involuntary_switches, end.involuntary_switches, sum_.involuntary_switches);
  if (thread_ != std::this_thread::get_id()) sum_.core_wait_s.reset();
  add_difference(begin_.core_wait_s, end.core_wait_s, sum_.core_wait_s);
  add_difference(begin_.instructions, end.instructions, sum_.instructions);
  add_difference(begin_.cycles, end.cycles, sum_.cycles);
}

ProcessorTime ProcessorClock::sum() const {
  const std::lock_guard lock(mutex_);
  return sum_;
}

std::string allowed_cores() {
  Cores cores;
  cores.add_those_of(0);
  for (const pid_t thread : threads_of_process()) cores.add_those_of(thread);
  collectives::NumberList list;
  for (std::size_t core = 0; core < Cores::max_cores; ++core)
    if (cores.contain(core)) list.push_back(core);
  return list.to_string();
}

std::optional<std::uint64_t> peak_memory_bytes() {
  constexpr std::string_view key = "VmHWM:";  // ru_maxrss may be that of the launcher
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::uint64_t kib = 0; word == key && status >> kib) return 1024 * kib;
  return std::nullopt;
}

}  // namespace plimsoll::interpose
