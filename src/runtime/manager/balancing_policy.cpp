#include "runtime/manager/balancing_policy.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/balance/internal/refusal_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// A rank whose work runs on its processor for less than this share of its time shares the processor with
// other processes.
constexpr double undisturbed_share = 0.9;
// Number of phases after which such a disturbance is over.
constexpr int disturbed_phases = 25;

}  // namespace

BalancingPolicy::BalancingPolicy(const Session& session)
    : session_(session),
      condition_(balance::LbCondition::parse(session.settings().lb_when).value()),
      work_(parse_lb_work(session.settings().lb_work)),
      window_(session.rank_count()),
      device_window_(session.rank_count()),
      balances_phases_(any_balances_phases()) {}

void BalancingPolicy::set_strategy(const std::string& strategy) {
  balance::StrategySpec spec = balance::StrategySpec::parse(strategy);
  balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
  balance::check_lb_strategy(spec, registry);
  const balance::LbSchedule schedule = balance::LbSchedule::single(std::move(spec), 1, true);
  require_inputs(session_.settings(), schedule);
  own_schedule_ = schedule;
  balances_phases_ = any_balances_phases();
}

const balance::LbSchedule& BalancingPolicy::schedule() const {
  return own_schedule_ ? *own_schedule_ : session_.lb_schedule();
}

std::optional<balance::StrategySpec> BalancingPolicy::strategy(std::int64_t phase) const {
  return schedule().strategy(phase);
}

bool BalancingPolicy::has_strategies() const {
  return std::ranges::any_of(schedule().entries(),
                             [](const auto& entry) { return entry.strategy.name != "NoLB"; });
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
  evidence.changes = rank_changes_.observe(phase);
  evidence.device_loads = device_window_.observe(mine.device, benefit_.usual_spread());
  return evidence;
}

bool BalancingPolicy::any_balances_phases() const {
  // With synchronised subphases, strategies balance these.
  return resists_noise() && session_.settings().lb_subphases != SubphaseMode::synchronised &&
         std::ranges::any_of(schedule().entries(),
                             [](const auto& entry) { return balance::can_balance_phases(entry.strategy); });
}

void BalancingPolicy::observe(const BalancingEvidence& evidence, double imbalance, bool knows_phases) {
  imbalance_ = imbalance;
  has_device_times_ = evidence.device_loads.sum_typical_s > 0;
  must_evacuate_ = evidence.must_evacuate;
  balance::LoadEvidence loads = balance::slower_resource(evidence.loads, evidence.device_loads);
  window_.compare_with(evidence.loads);
  device_window_.compare_with(evidence.device_loads);
  changing_.observe(evidence.changes);
  n_phases_ = 1;
  if (knows_phases && balances_phases_ && !has_device_times_ &&
      balance::is_steadier(changing_.evidence(), loads)) {
    loads = changing_.evidence();
    n_phases_ = changing_.n_phases();
  }
  // Loads of whole phases do not show how long ranks wait after subphases: only a decision does.
  if (session_.settings().lb_subphases == SubphaseMode::synchronised)
    loads.max_assured_s += loads.max_typical_s;
  benefit_.observe(loads);
  // If the loads of all ranks have changed, the program has.
  const bool is_disturbed =
      evidence.is_disturbed || (evidence.any_loads_changed && !evidence.all_loads_changed);
  disturbed_phases_ = is_disturbed ? disturbed_phases : std::max(0, disturbed_phases_ - 1);
}

bool BalancingPolicy::is_worth_deciding() {
  if (must_evacuate_) return true;
  switch (condition_.kind) {
    case balance::LbCondition::Kind::always: return true;
    case balance::LbCondition::Kind::threshold: return imbalance_ > condition_.min_imbalance;
    case balance::LbCondition::Kind::pays: break;
  }
  return benefit_.worth_deciding();
}

bool BalancingPolicy::is_worth_moving(double gain_s, const balance::MigrationVolume& volume) {
  return must_evacuate_ || condition_.kind != balance::LbCondition::Kind::pays ||
         benefit_.worth_moving(gain_s, volume);
}

std::int64_t BalancingPolicy::affordable_moves(std::int64_t moves) const {
  return condition_.kind == balance::LbCondition::Kind::pays ? benefit_.affordable_moves(moves) : 0;
}

lbdata::NotBalanced BalancingPolicy::reason() const {
  if (condition_.kind == balance::LbCondition::Kind::threshold)
    return balance::below_threshold(imbalance_, condition_.min_imbalance);
  return balance::describe(benefit_.refusal(), disturbed_phases_ > 0);
}

void BalancingPolicy::moved(const balance::MigrationVolume& volume, double migration_s,
                            const LoadChange& load, const LoadChange& device) {
  benefit_.moved(volume, migration_s);
  window_.rescale(load.before_s, load.after_s);
  device_window_.rescale(device.before_s, device.after_s);
  if (n_phases_ == 1) return;  // the loads still change in the same way
  rank_changes_.clear();
  changing_.clear();
}

}  // namespace plimsoll::runtime
