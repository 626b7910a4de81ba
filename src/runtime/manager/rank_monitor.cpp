#include "runtime/manager/rank_monitor.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <plimsoll/balance/changing_loads.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr double measured_s = 0.05;
constexpr double noise = 0.05;  // relative error of a measured speed

double cpu_s() {
  return 1e-9 * static_cast<double>(Clock::cpu_nanoseconds());
}

// Returns kernels per second of CPU time. The fastest of several parts had the minimum disturbance.
double own_speed() {
  constexpr int parts = 5;
  constexpr int kernel_length = 10'000;
  double best = 0;
  volatile double sink = 0;
  for (int part = 0; part < parts; ++part) {
    const double begin_s = cpu_s();
    double elapsed_s = 0;
    int kernels = 0;
    do {
      double sum = 0;
      for (int k = 0; k < kernel_length; ++k) sum += std::sqrt(static_cast<double>(k) + sum);
      sink = sum;
      ++kernels;
      elapsed_s = cpu_s() - begin_s;
    } while (elapsed_s < measured_s / parts);
    best = std::max(best, kernels / elapsed_s);
  }
  static_cast<void>(sink);
  return best;
}

/// Measures the speed of this rank's processor relative to the fastest rank, 0 to 1: how often it computes a
/// small kernel of square roots within 50 ms of CPU time, as Charm++'s `+LBTestPESpeed` does within 200 ms.
/// Speeds within 5 % of the fastest count as 1, because they cannot be told from noise. Collective.
double relative_speed(const mpi::Communicator& communicator) {
  const double mine = own_speed();
  const double fastest = communicator.max(mine);
  return mine >= (1 - noise) * fastest ? 1 : mine / fastest;
}

void add_objects(std::span<const double> loads_s, balance::RankPhase& phase) {
  for (const double load_s : loads_s) {
    phase.load_s += load_s;
    phase.heaviest_object_s = std::max(phase.heaviest_object_s, load_s);
  }
}

constexpr double change = 1.15;
constexpr std::size_t sample_size = 1000;
constexpr std::size_t fewest_objects = 8;

double busy_s(const RankTimes& times) {
  return times.total_s - times.idle_s;
}

// A phase in which a rank is descheduled outside of its objects must not look like a fixed load.
constexpr std::size_t background_phases = 3;

}  // namespace

std::optional<bool> many_loads_changed(const lbdata::Tasks& now, const lbdata::Tasks& before) {
  if (now.entity != before.entity) return {};
  std::vector<double> ratios;
  const std::size_t stride = now.size() / sample_size + 1;
  for (std::size_t task = 0; task < now.size(); task += stride)
    if (now.time_s[task] > 0 && before.time_s[task] > 0)
      ratios.push_back(now.time_s[task] / before.time_s[task]);
  if (ratios.size() < fewest_objects) return {};

  const auto quarter = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 4);
  std::ranges::nth_element(ratios, quarter);
  if (*quarter <= 1 / change) return true;
  std::ranges::nth_element(ratios, quarter, std::greater<>());
  return *quarter >= change;
}

RankMonitor::RankMonitor(const Session& session, CoreWaitClock core_wait)
    : load_time_(session.settings().lb_loads),
      core_wait_(std::move(core_wait)),
      knows_core_wait_(core_wait_.nanoseconds().has_value()) {
  if (session.settings().lb_measure_speed) proc_.pe_speed = relative_speed(session.communicator());
  start_phase();
}

RankMonitor::Counters RankMonitor::count() const {
  Counters counters{.cpu_ns = Clock::cpu_nanoseconds()};
  if (knows_core_wait_) {
    counters.core_wait_ns = core_wait_.nanoseconds().value_or(0);
  } else {
    rusage usage = {};
    if (getrusage(RUSAGE_THREAD, &usage) == 0) counters.forced_switches = usage.ru_nivcsw;
  }
  return counters;
}

void RankMonitor::start_phase() {
  at_start_ = count();
}

void RankMonitor::pause() {
  at_pause_ = count();
}

void RankMonitor::resume() {
  const Counters now = count();
  at_start_.cpu_ns += now.cpu_ns - at_pause_.cpu_ns;
  at_start_.core_wait_ns += now.core_wait_ns - at_pause_.core_wait_ns;
  at_start_.forced_switches += now.forced_switches - at_pause_.forced_switches;
}

RankMonitor::Time RankMonitor::time() const {
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  const bool is_corrected = load_time_ == LoadTime::automatic || load_time_ == LoadTime::cpu;
  return {.total_s = wall.count(),
          .core_wait_s = is_corrected ? 1e-9 * static_cast<double>(count().core_wait_ns) : 0};
}

RankMeasurement RankMonitor::measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                                     std::span<const double> loads_s, std::span<const double> device_s,
                                     std::optional<InferenceError> inferred,
                                     const lbdata::PhaseRecord* before) {
  RankMeasurement measured;
  add_objects(device_s, measured.device);
  if (marks_waits_) measured.phase.load_s = background_load_s(times, load_time_);
  add_objects(loads_s, measured.phase);
  // The time of the rank is measured, even if those of its objects are inferred.
  const InferenceError error = inferred.value_or(InferenceError());
  measured.phase.load_s = std::max(0.0, measured.phase.load_s + error.unexplained_s);
  measured.phase.load_error_s = error.deviation_s;
  if (running_shares_.size() == balance::ChangingLoads::max_phases) running_shares_.pop_front();
  running_shares_.push_back(1);
  const double recorded_s =
      std::accumulate(record.tasks.time_s.begin(), record.tasks.time_s.end(), error.unexplained_s);
  // The loads are those of a device, or of add_time() or a model of the program.
  if (load_time_ == LoadTime::device || recorded_s > 1.01 * times.objects_s) return measured;

  if (before != nullptr && !inferred)
    measured.loads_changed = many_loads_changed(record.tasks, before->tasks);
  if (const double interrupted = interrupted_s(times); interrupted > 0)
    measured.running_share = 1 - interrupted / busy_s(times);
  if (load_time_ == LoadTime::automatic) {
    running_shares_.back() = measured.running_share;
    measured.phase.load_s *= measured.running_share;
    measured.phase.heaviest_object_s *= measured.running_share;
  }
  return measured;
}

void RankMonitor::observe(const PhaseSummary& summary) {
  const RankTimes& times = summary.times;
  marks_waits_ = summary.marked_idle_s > 0;
  if (backgrounds_s_.size() == background_phases) backgrounds_s_.pop_front();
  backgrounds_s_.push_back(marks_waits_ ? background_load_s(times, load_time_) * running_share() : 0);
  std::vector<double> sorted(backgrounds_s_.begin(), backgrounds_s_.end());
  std::ranges::sort(sorted);
  proc_.total_walltime = static_cast<balance::LBRealType>(times.total_s);
  proc_.total_cputime = static_cast<balance::LBRealType>(times.cpu_total_s);
  proc_.idletime = static_cast<balance::LBRealType>(times.idle_s);
  proc_.bg_walltime = static_cast<balance::LBRealType>(sorted[(sorted.size() - 1) / 2]);
  proc_.bg_cputime = static_cast<balance::LBRealType>(times.cpu_total_s - times.cpu_objects_s);
  proc_.utilization = times.total_s > 0 ? 1 - times.idle_s / times.total_s : 0;
}

// Returns the time outside of marked waits in which other threads had this thread's core. The time in marked
// waits is unknown: there, a rank may use its core or not. The result may therefore be too low, but a rank
// that others wait for does not wait. Without the system's count, the time off the core counts if the system
// has taken the core from the thread at all: other waits are voluntary.
double RankMonitor::interrupted_s(const RankTimes& times) const {
  if (load_time_ == LoadTime::cpu) return 0;
  const Counters now = count();
  const double off_core_s =
      std::max(0.0, busy_s(times) - 1e-9 * static_cast<double>(now.cpu_ns - at_start_.cpu_ns));
  if (knows_core_wait_)
    return std::min(off_core_s, 1e-9 * static_cast<double>(now.core_wait_ns - at_start_.core_wait_ns));
  return now.forced_switches > at_start_.forced_switches ? off_core_s : 0;
}

}  // namespace plimsoll::runtime
