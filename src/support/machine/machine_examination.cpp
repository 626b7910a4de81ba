#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>

#include <plimsoll/support/examination.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

/// Returns the content of a file of the kernel; empty if it cannot be read.
std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns a file of this process's control group (version 2); empty if it cannot be read. In a container,
/// the group may be visible only as the root of the tree.
std::string control_group_file(const std::string& name) {
  const std::string groups = content_of("/proc/self/cgroup");
  std::string_view group = groups;
  if (!take(group, "0::")) return {};
  group = group.substr(0, group.find('\n'));
  const std::string text = content_of(fmt::format("/sys/fs/cgroup{}/{}", group, name));
  return text.empty() ? content_of("/sys/fs/cgroup/" + name) : text;
}

std::int64_t monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Examination examine_clock() {
  constexpr std::int64_t coarse_ns = 1000;
  constexpr int reads = 10'000;
  timespec resolution{};
  if (::clock_getres(CLOCK_MONOTONIC, &resolution) != 0)
    return {.subject = "clock", .found = "the system does not report the resolution of its clock"};
  const std::int64_t first = monotonic_ns();
  std::int64_t last = first;
  std::int64_t step = INT64_MAX;
  for (int k = 0; k < reads; ++k) {
    const std::int64_t now = monotonic_ns();
    if (now != last) step = std::min(step, now - last);
    last = now;
  }
  const std::int64_t stated_ns = std::int64_t{resolution.tv_sec} * 1'000'000'000 + resolution.tv_nsec;
  Examination examination = {.subject = "clock",
                             .found = fmt::format("resolution {} ns; here and now, {} ns per read", stated_ns,
                                                  (last - first) / reads)};
  const bool is_fine = stated_ns <= coarse_ns && step <= coarse_ns;
  examination.verdict = is_fine ? Verdict::ok : Verdict::no;
  if (!is_fine) examination.remedy = "use a kernel with high-resolution timers, or measure only long objects";
  return examination;
}

Examination examine_counter() {
  constexpr const char* subject = "cycle counter";
  constexpr const char* remedy =
      "expect a higher cost of measurements: the times of objects come from the clock";
#if defined(__x86_64__)
  if (!has_invariant_counter())
    return {.subject = subject,
            .verdict = Verdict::no,
            .found = "the processor does not report an invariant time-stamp counter",
            .remedy = remedy};
  const std::string sources =
      content_of("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  if (sources.empty())
    return {.subject = subject, .found = "invariant, but it is unknown whether the kernel trusts it"};
  if (sources.find("tsc") == std::string::npos)
    return {.subject = subject,
            .verdict = Verdict::no,
            .found = "invariant, but the kernel does not use it as a clock source",
            .remedy = "compare measured times with the clock: the counters of the cores may differ"};
  return {.subject = subject, .verdict = Verdict::ok, .found = "time-stamp counter is invariant"};
#else
  return {.subject = subject,
          .verdict = Verdict::no,
          .found = "Plimsoll uses none of this type of processor",
          .remedy = remedy};
#endif
}

/// Returns the numbers of processors as a list such as "0-3,8".
std::string list_of(const cpu_set_t& processors) {
  std::string list;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &processors)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &processors)) ++last;
    list += fmt::format("{}{}", list.empty() ? "" : ",", first);
    if (last > first) list += fmt::format("-{}", last);
    first = last;
  }
  return list;
}

/// Returns the number of processors whose time this container may use; nothing if it has no limit, or an
/// unknown one.
std::optional<double> processor_quota() {
  const std::string limit = control_group_file("cpu.max");  // "max 100000", or "150000 100000"
  std::string_view rest = limit;
  const auto quota = parse_number<double>(take_word(rest));
  const auto period = parse_number<double>(take_word(rest));
  return quota && period && *period > 0 ? std::optional(*quota / *period) : std::nullopt;
}

Examination examine_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return {.subject = "processors", .found = "the system does not report which this process may use"};
  const int count = CPU_COUNT(&allowed);
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  Examination examination = {
      .subject = "processors",
      .verdict = Verdict::ok,
      .found = fmt::format("{} of {} may be used here ({})", count, online, list_of(allowed))};
  if (const auto quota = processor_quota(); quota && *quota < count) {
    examination.verdict = Verdict::no;
    examination.found += fmt::format(", but only the time of {}", format_number(*quota));
    examination.remedy = "start fewer ranks, or set a higher quota for the container";
  } else if (count == 1 && online > 1) {
    examination.verdict = Verdict::no;
    examination.remedy = "start the job from a shell that is not bound to one processor";
  }
  return examination;
}

/// Returns a soft limit of the shell; nothing if it is unlimited.
std::optional<std::uint64_t> limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

/// Returns the value of a line such as "MemTotal:  16 kB".
std::optional<std::uint64_t> memory_bytes(const std::string& name) {
  const std::string text = content_of("/proc/meminfo");
  for (LineReader lines(text); !lines.at_end(); lines.advance()) {
    std::string_view line = lines.line();
    if (!take(line, name) || !take(line, ":")) continue;
    if (const auto kib = parse_number<std::uint64_t>(take_word(line))) return *kib * 1024;
  }
  return std::nullopt;
}

Examination examine_memory() {
  const auto total = memory_bytes("MemTotal");
  const auto available = memory_bytes("MemAvailable");
  if (!total || !available) return {.subject = "memory", .found = "the system does not report its memory"};
  Examination examination = {
      .subject = "memory",
      .verdict = Verdict::ok,
      .found = fmt::format("{} of {} are free", format_bytes(*available), format_bytes(*total))};
  const std::string group = control_group_file("memory.max");
  std::string_view rest = group;
  if (const auto limit = parse_number<std::uint64_t>(take_word(rest)); limit && *limit < *total)
    examination.found += fmt::format("; the container may use {}", format_bytes(*limit));
  for (const auto& [resource, option] : {std::pair(RLIMIT_AS, "-v"), {RLIMIT_DATA, "-d"}}) {
    const auto limit = limit_of(resource);
    if (!limit || *limit >= *total) continue;
    examination.verdict = Verdict::no;
    examination.found += fmt::format("; a process may use {} (ulimit {})", format_bytes(*limit), option);
    examination.remedy = fmt::format("use ulimit {} unlimited", option);
  }
  return examination;
}

Examination examine_file_size() {
  const auto limit = limit_of(RLIMIT_FSIZE);
  if (!limit) return {.subject = "file size", .verdict = Verdict::ok, .found = "no limit"};
  return {.subject = "file size",
          .verdict = Verdict::no,
          .found = fmt::format("at most {} per file", format_bytes(*limit)),
          .remedy = "use ulimit -f unlimited"};
}

Examination examine_open_files() {
  constexpr std::uint64_t few = 256;  // a guess: launchers need some per rank of a node
  const auto limit = limit_of(RLIMIT_NOFILE);
  if (!limit) return {.subject = "open files", .verdict = Verdict::ok, .found = "no limit"};
  Examination examination = {.subject = "open files",
                             .verdict = *limit >= few ? Verdict::ok : Verdict::no,
                             .found = fmt::format("at most {} per process", format_count(*limit))};
  if (examination.verdict == Verdict::no)
    examination.remedy = fmt::format("use ulimit -n {}, which is a guess of what launchers need", few);
  return examination;
}

}  // namespace

bool has_invariant_counter() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned invariant_tsc = 1U << 8;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & invariant_tsc) != 0;
#else
  return false;
#endif
}

std::vector<Examination> examine_machine() {
  return {examine_clock(),  examine_counter(),   examine_processors(),
          examine_memory(), examine_file_size(), examine_open_files()};
}

}  // namespace plimsoll::support
