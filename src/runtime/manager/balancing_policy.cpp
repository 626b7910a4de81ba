#include "runtime/manager/balancing_policy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

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

constexpr double change = 1.15;
constexpr std::size_t sample_size = 1000;
constexpr std::size_t fewest_objects = 8;

double busy_s(const RankTimes& times) {
  return times.total_s - times.idle_s;
}

// A rank whose work runs on its processor for less than this share of its time shares the processor with
// other processes, or waits for something else, such as a GPU.
constexpr double undisturbed_share = 0.9;
// Number of phases after which such a disturbance is over.
constexpr int disturbed_phases = 25;

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

RankMonitor::RankMonitor(const Session& session)
    : loads_are_cpu_time_(session.settings().lb_loads == LoadTime::cpu) {
  if (session.settings().lb_measure_speed) proc_.pe_speed = relative_speed(session.communicator());
  start_phase();
}

void RankMonitor::start_phase() {
  cpu_at_start_ = Clock::cpu_nanoseconds();
}

void RankMonitor::pause() {
  cpu_at_pause_ = Clock::cpu_nanoseconds();
}

void RankMonitor::resume() {
  cpu_at_start_ += Clock::cpu_nanoseconds() - cpu_at_pause_;
}

RankMeasurement RankMonitor::measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                                     std::span<const double> loads_s,
                                     const lbdata::PhaseRecord* before) const {
  RankMeasurement measured;
  if (marks_waits_) measured.phase.load_s = background_s(times);
  for (const double load_s : loads_s) {
    measured.phase.load_s += load_s;
    measured.phase.heaviest_object_s = std::max(measured.phase.heaviest_object_s, load_s);
  }
  const double recorded_s = std::accumulate(record.tasks.time_s.begin(), record.tasks.time_s.end(), 0.0);
  if (recorded_s > 1.01 * times.objects_s) return measured;  // by add_time() or a model of the program

  if (before != nullptr) measured.loads_changed = many_loads_changed(record.tasks, before->tasks);
  measured.phase.interrupted_s = interrupted_s(times);
  if (measured.phase.interrupted_s > 0)
    measured.running_share = 1 - measured.phase.interrupted_s / busy_s(times);
  return measured;
}

void RankMonitor::observe(const PhaseSummary& summary) {
  const RankTimes& times = summary.times;
  marks_waits_ = summary.marked_idle_s > 0;
  proc_.total_walltime = static_cast<balance::LBRealType>(times.total_s);
  proc_.total_cputime = static_cast<balance::LBRealType>(times.cpu_total_s);
  proc_.idletime = static_cast<balance::LBRealType>(times.idle_s);
  proc_.bg_walltime = static_cast<balance::LBRealType>(marks_waits_ ? background_s(times) : 0);
  proc_.bg_cputime = static_cast<balance::LBRealType>(times.cpu_total_s - times.cpu_objects_s);
  proc_.utilization = times.total_s > 0 ? 1 - times.idle_s / times.total_s : 0;
}

// Returns the background load in the time that the loads are measured in. Waits may take CPU time, or not.
double RankMonitor::background_s(const RankTimes& times) const {
  if (!loads_are_cpu_time_) return times.background_s;
  return std::max(0.0, times.cpu_total_s - times.cpu_objects_s - times.idle_s);
}

// Returns the time outside of marked waits in which this thread did not run. A wait that spins takes CPU time
// too, so the result may be too low, but a rank that is delayed by other processes does not wait.
double RankMonitor::interrupted_s(const RankTimes& times) const {
  if (loads_are_cpu_time_) return 0;
  const double cpu_s = 1e-9 * static_cast<double>(Clock::cpu_nanoseconds() - cpu_at_start_);
  return std::max(0.0, busy_s(times) - cpu_s);
}

BalancingPolicy::BalancingPolicy(const Session& session)
    : session_(session),
      condition_(parse_lb_when(session.settings().lb_when).value()),
      work_(parse_lb_work(session.settings().lb_work)),
      window_(session.rank_count()) {}

void BalancingPolicy::set_strategy(const std::string& strategy) {
  balance::StrategySpec spec = balance::StrategySpec::parse(strategy);
  balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
  balance::check_lb_strategy(spec, registry);
  const balance::LbSchedule schedule = balance::LbSchedule::single(std::move(spec), 1, true);
  require_inputs(session_.settings(), schedule);
  own_schedule_ = schedule;
}

const balance::LbSchedule& BalancingPolicy::schedule() const {
  return own_schedule_ ? *own_schedule_ : session_.lb_schedule();
}

std::optional<balance::StrategySpec> BalancingPolicy::strategy(std::int64_t phase) const {
  return schedule().strategy(phase);
}

balance::StrategySpec BalancingPolicy::strategy_after_restart() const {
  for (const balance::LbScheduleEntry& entry : schedule().entries()) {
    const std::string& name = entry.strategy.name;
    if (name != "NoLB" && name != balance::offline_lb && name != balance::test_serialization_lb)
      return entry.strategy;
  }
  return {.name = "GreedyLB"};
}

BalancingEvidence BalancingPolicy::evidence(const RankMeasurement& mine) {
  BalancingEvidence evidence;
  // The first phase contains the initialisation of the program, so its loads tell nothing about later phases.
  if (std::exchange(is_first_phase_, false) || schedule().entries().empty()) return evidence;
  evidence.is_disturbed = mine.running_share < undisturbed_share;
  evidence.any_loads_changed = mine.loads_changed.value_or(false);
  evidence.all_loads_changed = mine.loads_changed.value_or(true);
  balance::RankPhase phase = mine.phase;
  phase.is_disturbed = disturbed_phases_ > 0;
  evidence.loads = window_.observe(phase, benefit_.usual_spread());
  return evidence;
}

void BalancingPolicy::observe(const BalancingEvidence& evidence, double imbalance) {
  imbalance_ = imbalance;
  must_evacuate_ = evidence.must_evacuate;
  balance::LoadEvidence loads = evidence.loads;
  // Loads of whole phases do not show how long ranks wait after subphases: only a decision does.
  if (session_.settings().lb_subphases == SubphaseMode::synchronised)
    loads.max_assured_s += loads.max_typical_s;
  benefit_.observe(loads);
  // If the loads of all ranks have changed, the program has.
  const bool is_disturbed =
      evidence.is_disturbed || (evidence.any_loads_changed && !evidence.all_loads_changed);
  disturbed_phases_ = is_disturbed ? disturbed_phases : std::max(0, disturbed_phases_ - 1);
}

bool BalancingPolicy::is_worth_deciding() const {
  if (must_evacuate_) return true;
  switch (condition_.kind) {
    case LbCondition::Kind::always: return true;
    case LbCondition::Kind::threshold: return imbalance_ > condition_.min_imbalance;
    case LbCondition::Kind::pays: break;
  }
  return benefit_.worth_deciding();
}

bool BalancingPolicy::is_worth_moving(double gain_s, const balance::MigrationVolume& volume) {
  return must_evacuate_ || condition_.kind != LbCondition::Kind::pays ||
         benefit_.worth_moving(gain_s, volume);
}

void BalancingPolicy::moved(const balance::MigrationVolume& volume, double migration_s, double before_s,
                            double after_s) {
  benefit_.moved(volume, migration_s);
  window_.rescale(before_s, after_s);
}

}  // namespace plimsoll::runtime
