// Members of LBManager that plan migrations.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include <plimsoll/balance/internal/refusal_text.hpp>
#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/several_phases.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/decide_in_rounds.hpp"
#include "runtime/balancing/rank_stats.hpp"
#include "runtime/manager/lb_manager.hpp"
#include "runtime/recording/modelled_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// Makes a plan in which every migratable object is packed and unpacked on its rank.
PlannedMigration pack_in_place(const mpi::Communicator& ranks, const RankStats& mine) {
  std::vector<LeavingObject> all;
  mpi::agreed(ranks, [&] {
    for (std::uint32_t object = 0; object < mine.ids.size(); ++object)
      if (mine.may_migrate(object)) all.push_back({object, ranks.rank()});
  });
  return announce(ranks, mine, std::move(all));
}

Error no_loads_yet() {
  return support::usage_error("the loads are unknown before the first phase has ended",
                              "call next_phase() before a plan is made");
}

void discard_moves(MigrationPlan& plan, std::string remark) {
  plan.exports.clear();
  plan.imports.clear();
  plan.moves = 0;
  plan.remark = std::move(remark);
}

}  // namespace

MigrationPlan LBManager::plan_by_policy() {
  if (phase_end_.last_phase() < 0) throw no_loads_yet();
  refused_.reset();
  predicted_price_s_ = 0;
  MigrationPlan plan = replay_ ? replayed_plan() : plan_of_strategy();
  if (decisions_) decisions_->add(phase_end_.last_phase(), plan.exports);
  return plan;
}

MigrationPlan LBManager::plan_of_strategy() {
  const std::optional<balance::StrategySpec> spec = policy_.strategy(phase_end_.last_phase());
  expect_same_strategy(session_.communicator(), spec ? to_string(*spec) : "");
  if (spec) return plan_with(*spec, true);
  if (policy_.has_strategies()) refused_ = balance::not_scheduled();
  return {};
}

MigrationPlan LBManager::plan_with(const balance::StrategySpec& spec, bool by_policy) {
  const mpi::Communicator& ranks = session_.communicator();
  const bool is_central = spec.name != balance::offline_lb && spec.name != balance::test_serialization_lb;
  const std::size_t n_phases = by_policy && balance::can_balance_phases(spec) ? policy_.n_phases() : 1;
  std::unique_ptr<balance::Strategy> strategy;
  mpi::agreed(ranks, [&] {
    if (data_.phases().empty()) throw no_loads_yet();
    if (is_central)
      strategy = balance::make_strategy(n_phases > 1 ? balance::tolerant(spec) : spec, policy_.work());
  });
  const bool must_pay = by_policy && is_central && strategy->minimises_score();
  const auto refused = [&](MigrationPlan plan) {
    refused_ = policy_.reason();
    discard_moves(plan, fmt::format("Not balanced: {}.", refused_->text));
    return plan;
  };
  if (must_pay && !policy_.is_worth_deciding()) return refused({});

  RankStats mine;
  balance::StrategyNeeds needs = strategy ? strategy->needs() : balance::StrategyNeeds();
  const bool synchronised = session_.settings().lb_subphases == SubphaseMode::synchronised;
  const bool ignores_subphases =
      synchronised && is_central && strategy->minimises_score() && !needs.subphases;
  needs.subphases = needs.subphases && synchronised;
  mpi::agreed(ranks, [&] { mine = stats(needs, must_pay, n_phases); });
  DecidedRank decided;
  MigrationRules applied = rules();
  applied.decided = &decided;
  const auto decide_at_most = [&](std::int64_t max_moves) {
    PlannedMigration planned;
    applied.max_moves = max_moves;
    const double price_s = price_of([&] {
      planned = timed_decision(ranks, [&] { return decide(spec, strategy.get(), mine, applied); });
    });
    outlook_ = planned.outlook;
    if (is_central) policy_.decided(price_s);
    return std::move(planned.plan);
  };
  MigrationPlan plan = decide_at_most(std::numeric_limits<std::int64_t>::max());
  const auto pays = [&] { return !must_pay || policy_.is_worth_moving(plan.gain_s(), outlook_.volume); };
  bool is_worth_it = pays();
  // Several short steps may pay where one long one does not.
  if (const std::int64_t moves = is_worth_it ? 0 : policy_.affordable_moves(plan.moves); moves > 0) {
    const double decision_s = plan.decision_s;
    plan = decide_at_most(moves);
    plan.decision_s += decision_s;
    is_worth_it = pays();
  }
  plan.strategy = spec.name;
  pending_.reset();
  if (!is_worth_it) return refused(std::move(plan));
  if (ignores_subphases && plan.remark.empty())
    plan.remark = fmt::format("{} balances whole phases: it ignores lb_subphases=synchronised.", spec.name);
  if (is_central && strategy->minimises_score() && !needs.more_loads && policy_.has_device_times())
    plan.remark += fmt::format("{}{} balances one load: it ignores device times (use --vt_lb_loads=device).",
                               plan.remark.empty() ? "" : " ", spec.name);
  if (plan.empty()) return plan;
  pending_ = Pending{plan.moves, std::chrono::steady_clock::now()};
  predicted_price_s_ = policy_.predicted_migration_s(outlook_.volume);
  return plan;
}

/// Repeats what was decided after this phase in an earlier run. Nothing is predicted for such a plan.
MigrationPlan LBManager::replayed_plan() {
  const mpi::Communicator& ranks = session_.communicator();
  RankStats mine;
  std::vector<LeavingObject> leaving;
  mpi::agreed(ranks, [&] {
    if (data_.phases().empty()) throw no_loads_yet();
    mine = stats(balance::StrategyNeeds(), false);
    leaving = replay_->leaving(phase_end_.last_phase(), mine);
  });
  PlannedMigration planned =
      timed_decision(ranks, [&] { return announce(ranks, mine, std::move(leaving), rules()); });
  pending_.reset();
  outlook_ = planned.outlook;
  if (planned.plan.empty()) return {};
  planned.plan.strategy = "recorded decisions";
  pending_ = Pending{planned.plan.moves, std::chrono::steady_clock::now()};
  return std::move(planned.plan);
}

/// Adds the requests of the program, of which any rank has some. They replace what the strategy has decided
/// for their objects. Nothing is predicted for such a plan, but the loads after it are known.
MigrationPlan LBManager::with_requests(MigrationPlan plan) {
  const mpi::Communicator& ranks = session_.communicator();
  RankStats mine;
  std::vector<LeavingObject> leaving;
  mpi::agreed(ranks, [&] {
    mine = stats(balance::StrategyNeeds(), false);
    expect_valid(mine.ids, requests_, ranks.size());
    leaving = leaving_objects(mine.ids, plan.exports, requests_);
  });
  PlannedMigration planned = announce(ranks, mine, std::move(leaving));
  if (planned.plan.empty() && plan.strategy.empty()) return plan;
  planned.plan.strategy = plan.strategy.empty() ? "program" : std::move(plan.strategy);
  planned.plan.decision_s = plan.decision_s;
  planned.plan.remark = std::move(plan.remark);
  outlook_ = planned.outlook;
  pending_ = Pending{planned.plan.moves, std::chrono::steady_clock::now()};
  return std::move(planned.plan);
}

/// Returns the stats of this rank for the last phase. Strategies expect loads at speed 1.
RankStats LBManager::stats(const balance::StrategyNeeds& needs, bool must_pay, std::size_t n_phases) const {
  const lbdata::PhaseRecord& record = data_.phases().back();
  const std::span<const double> device_s = loads_phase_ == record.id ? device_s_ : std::span<const double>();
  const std::vector<double> loads_s = decision_loads(record, must_pay);
  const std::vector<double> phases_s = n_phases > 1 ? loads_of_last_phases(n_phases) : std::vector<double>();
  RankStats stats = recorded_stats(recording_, data_, record, {loads_s, device_s, phases_s, n_phases},
                                   monitor_.proc_stats(), needs);
  stats.host = mpi::host_number();
  for (double& load_s : stats.loads_s) load_s *= stats.proc.pe_speed;
  for (double& load_s : stats.measured_s) load_s *= stats.proc.pe_speed;
  for (double& load_s : stats.subphases_s) load_s *= stats.proc.pe_speed;
  return stats;
}

/// Returns the loads of the tasks of the last phase as strategies see them: the loads of the model, or those
/// that noise does not disturb. If other processes have had the core of this rank, its loads add up to the
/// time in which it had the core.
std::vector<double> LBManager::decision_loads(const lbdata::PhaseRecord& record, bool must_pay) const {
  const double share = monitor_.running_share();
  const std::vector<double>& recorded_s = record.tasks.time_s;
  const bool is_noisy = must_pay && policy_.resists_noise() && knows_loads();
  std::vector<double> loads_s = loads_phase_ == record.id ? loads_s_ : recorded_s;
  double sum_s = std::accumulate(loads_s.begin(), loads_s.end(), 0.0);
  const double target_s = share * sum_s;
  if (is_noisy) {
    loads_s = steady_loads(data_, share < 1 ? balance::Steady::minimum : balance::Steady::median);
    sum_s = std::accumulate(loads_s.begin(), loads_s.end(), 0.0);
  }
  if (share < 1 && sum_s > 0)
    for (double& load_s : loads_s) load_s *= target_s / sum_s;
  return loads_s;
}

/// Returns the loads of the tasks of the last phase in the last phases, without the time in which other
/// processes had the core of this rank.
std::vector<double> LBManager::loads_of_last_phases(std::size_t n_phases) const {
  std::vector<double> loads_s = loads_of_phases(data_, n_phases);
  const std::deque<double>& shares = monitor_.running_shares();
  for (std::size_t k = 0; k < loads_s.size(); ++k)
    if (const std::size_t back = k % n_phases; back < shares.size())
      loads_s[k] *= shares[shares.size() - 1 - back];
  return loads_s;
}

PlannedMigration LBManager::decide(const balance::StrategySpec& spec, balance::Strategy* strategy,
                                   const RankStats& mine, const MigrationRules& rules) {
  const mpi::Communicator& ranks = session_.communicator();
  if (spec.name == balance::test_serialization_lb) return pack_in_place(ranks, mine);
  if (spec.name == balance::offline_lb) {
    if (!offline_) offline_.emplace(session_);
    return announce(ranks, mine, offline_->leaving(phase_end_.last_phase(), mine, directory_));
  }
  return plan_migration(ranks, mine, *strategy, rules);
}

MigrationRules LBManager::rules() const {
  MigrationRules rules{.keep_last_element = session_.settings().lb_keep_last_elm};
  if (transport_)
    rules.size_bytes = [this](ObjectId id) {
      return transport_->predicted_bytes ? transport_->predicted_bytes(id)
                                         : static_cast<double>(transport_->size_bytes(id));
    };
  return rules;
}

}  // namespace plimsoll::runtime
