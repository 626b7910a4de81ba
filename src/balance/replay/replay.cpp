#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <plimsoll/balance/replay.hpp>
#include <plimsoll/balance/several_phases.hpp>
#include <plimsoll/balance/steady_loads.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/replay/migration_volume.hpp"
#include "balance/replay/object_slots.hpp"
#include "balance/schedule/rule_of_ranks.hpp"
#include "balance/search/memory_bound.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

bool balances_phases(const ReplayRequest& request) {
  return request.condition.kind == LbCondition::Kind::pays && !request.synchronised_subphases &&
         !request.work && request.load_model == measured_loads &&
         std::ranges::any_of(request.schedule.entries(),
                             [](const auto& entry) { return can_balance_phases(entry.strategy); });
}

/// Walks through the phases of a data set.
class ReplayWalk {
 public:
  ReplayWalk(const lbdata::Dataset& dataset, const ReplayRequest& request)
      : dataset_(dataset),
        request_(request),
        slots_(dataset.entities),
        rule_(dataset.ranks.size(), balances_phases(request)) {}

  /// Runs a phase with the current placement.
  void run(std::int64_t phase);
  /// Lets the strategy of the schedule decide at the end of the phase that run last.
  void decide();
  Replay take() { return std::move(replay_); }

 private:
  /// Plan of a strategy: stats_.to_proc, and what it costs and gains.
  struct Plan {
    double gain_s = 0;
    MigrationVolume volume;
    std::int64_t moves = 0;
  };

  double time_of(std::span<const std::int32_t> placement) const;
  std::vector<double> times_of_ranks(std::span<const std::int32_t> placement) const;
  std::vector<RankPhase> rank_phases() const;
  double bound_s() const;
  bool is_due(const Strategy& strategy);
  void load_predictions(const StrategySpec& spec, const StrategyNeeds& needs);
  Plan plan_with(const StrategySpec& spec, std::int64_t max_moves);
  void migrate(const Plan& plan);

  const lbdata::Dataset& dataset_;
  const ReplayRequest& request_;
  ObjectSlots slots_;
  SlotPlacement placed_;
  SlotPlacement not_balanced_;
  SlotPlacement before_migrations_;  // the placement before the last migrations
  RuleOfRanks rule_;
  Replay replay_;

  // The current phase.
  DatasetPhase phase_;
  std::vector<std::uint32_t> phase_slots_;
  std::vector<std::int32_t> recorded_;  // rank of each object
  std::vector<double> rank_times_s_;    // with the placement of the replay
};

double ReplayWalk::time_of(std::span<const std::int32_t> placement) const {
  if (!request_.work) return phase_time(phase_.stats, placement);
  return WorkModel(phase_.stats, *request_.work).evaluate(placement).max;
}

std::vector<double> ReplayWalk::times_of_ranks(std::span<const std::int32_t> placement) const {
  if (!request_.work) return finish_times(phase_.stats, placement);
  return WorkModel(phase_.stats, *request_.work).evaluate(placement).work;
}

double ReplayWalk::bound_s() const {
  if (!request_.work) return lower_bound(phase_.stats).time_s;
  WorkGoal goal;
  goal.coefficients = *request_.work;
  return max_work_lower_bound(phase_.stats, goal);
}

std::vector<RankPhase> ReplayWalk::rank_phases() const {
  std::vector<RankPhase> ranks(rank_times_s_.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].load_s = rank_times_s_[rank];
  for (std::size_t object = 0; object < recorded_.size(); ++object) {
    RankPhase& rank = ranks[static_cast<std::size_t>(phase_.stats.from_proc[object])];
    rank.heaviest_object_s = std::max(rank.heaviest_object_s, phase_.stats.load_s(object));
  }
  return ranks;
}

void ReplayWalk::run(std::int64_t phase) {
  PhaseColumns columns{.loads_only = !request_.work,
                       .edge_objects = false,
                       .subphases = request_.synchronised_subphases,
                       .background = request_.background,
                       .memory = request_.work.has_value()};
  phase_ = load_phase(dataset_, phase, columns);
  if (!request_.work)
    for (ProcStats& proc : phase_.stats.procs) proc.rank_alpha = 1;
  phase_slots_ = slots_.of(phase_records(dataset_, phase));
  recorded_ = phase_.stats.from_proc;
  phase_.stats.from_proc = phase_.stats.to_proc = placed_.ranks(phase_slots_, recorded_);

  ReplayedPhase result{.phase = phase, .decision = {}};
  result.recorded_s = time_of(recorded_);
  result.not_balanced_s = time_of(not_balanced_.ranks(phase_slots_, recorded_));
  result.not_migrated_s = time_of(before_migrations_.ranks(phase_slots_, recorded_));
  result.time_s = time_of(phase_.stats.from_proc);
  rank_times_s_ = times_of_ranks(phase_.stats.from_proc);
  for (const double time_s : rank_times_s_) result.mean_s += time_s;
  result.mean_s /= static_cast<double>(rank_times_s_.size());
  result.bound_s = bound_s();
  // The first phase contains the initialisation of the program.
  if (!replay_.phases.empty()) rule_.observe(rank_phases());
  replay_.phases.push_back(std::move(result));
}

/// Returns whether the condition lets the strategy run. If not, notes why.
bool ReplayWalk::is_due(const Strategy& strategy) {
  if (!strategy.minimises_score()) return true;
  switch (request_.condition.kind) {
    case LbCondition::Kind::always: return true;
    case LbCondition::Kind::threshold:
      return replay_.phases.back().imbalance() > request_.condition.min_imbalance;
    case LbCondition::Kind::pays: break;
  }
  if (rule_.rule().worth_deciding()) return true;
  replay_.phases.back().decision.refusal = rule_.rule().refusal();
  return false;
}

void ReplayWalk::decide() {
  const std::int64_t id = replay_.phases.back().phase;
  const std::optional<StrategySpec> spec = request_.schedule.strategy(id);
  if (!spec) return;
  const std::unique_ptr<Strategy> strategy = make_strategy(*spec, request_.work);
  ReplayedDecision& decision = replay_.phases.back().decision;
  decision.strategy = to_string(*spec);
  if (!is_due(*strategy)) return;

  load_predictions(*spec, strategy->needs());
  Plan plan = plan_with(*spec, any_number);
  const bool must_pay = request_.condition.kind == LbCondition::Kind::pays && strategy->minimises_score();
  const auto pays = [&] { return !must_pay || rule_.rule().worth_moving(plan.gain_s, plan.volume); };
  bool is_worth_it = pays();
  // Several short steps may pay where one long one does not.
  if (const std::int64_t moves = is_worth_it ? 0 : rule_.rule().affordable_moves(plan.moves); moves > 0) {
    plan = plan_with(*spec, moves);
    is_worth_it = pays();
  }
  if (is_worth_it)
    migrate(plan);
  else
    decision.refusal = rule_.rule().refusal();
}

/// Loads what a strategy sees: the loads that the load model predicts for the next phase.
void ReplayWalk::load_predictions(const StrategySpec& spec, const StrategyNeeds& needs) {
  const std::int64_t id = phase_.phase;
  const Records records = phase_records(dataset_, id);
  PhaseColumns columns{.edge_objects = false,
                       .subphases = request_.synchronised_subphases,
                       .background = request_.background,
                       .memory = needs.memory || request_.work || mention_memory(records),
                       .positions = needs.positions};
  std::vector<std::int32_t> placement = std::move(phase_.stats.from_proc);
  phase_ = load_phase(dataset_, id, columns);
  if (!request_.work)
    for (ProcStats& proc : phase_.stats.procs) proc.rank_alpha = 1;
  phase_.stats.from_proc = phase_.stats.to_proc = std::move(placement);
  const std::size_t n_phases = can_balance_phases(spec) ? rule_.n_phases() : 1;
  if (n_phases > 1) {
    use_several_phases(phase_.stats, loads_of_phases(dataset_history(dataset_, id, n_phases), n_phases),
                       n_phases);
    return;
  }
  apply_load_model(dataset_, phase_, *make_load_model(request_.load_model));
  if (request_.condition.kind != LbCondition::Kind::pays || request_.load_model != measured_loads) return;
  const std::vector<double> loads_s = steady_loads(dataset_history(dataset_, id, steady_phases));
  for (std::size_t object = 0; object < loads_s.size(); ++object)
    phase_.stats.obj_data[object].walltime = static_cast<LBRealType>(loads_s[object]);
}

ReplayWalk::Plan ReplayWalk::plan_with(const StrategySpec& spec, std::int64_t max_moves) {
  LDStats& stats = phase_.stats;
  const std::size_t n_phases = can_balance_phases(spec) ? rule_.n_phases() : 1;
  make_strategy(n_phases > 1 ? tolerant(spec) : spec, request_.work)->work(stats);
  Limits limits;
  limits.max_moves = max_moves;
  if (limits.limit_moves()) stats.to_proc = apply_limits(limits, stats, stats.to_proc);

  const double decision_s = request_.costs.decision_s(stats.n_objs());
  replay_.phases.back().decision.has_decided = true;
  replay_.phases.back().decision.decision_s += decision_s;
  rule_.rule().decided(decision_s);
  Plan plan{.volume = migration_volume(stats, stats.to_proc)};
  plan.gain_s = time_of(stats.from_proc) - time_of(stats.to_proc);
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    if (stats.to_proc[object] != stats.from_proc[object]) ++plan.moves;
  return plan;
}

void ReplayWalk::migrate(const Plan& plan) {
  if (plan.moves == 0) return;
  const LDStats& stats = phase_.stats;
  ReplayedDecision& decision = replay_.phases.back().decision;
  decision.predicted_gain_s = plan.gain_s;
  decision.migration_s = request_.costs.migration.predict_s(plan.volume);
  before_migrations_ = placed_;
  std::size_t object = 0;
  for (const lbdata::PhaseRecord* record : phase_records(dataset_, phase_.phase))
    for (const lbdata::EntityIndex entity : record->tasks.entity) {
      const std::int32_t from = stats.from_proc[object];
      const std::int32_t to = stats.to_proc[object];
      if (to != from) {
        decision.migrations.push_back({dataset_.entities.number(entity), from, to});
        decision.moved_bytes += stats.migration_bytes(object);
        placed_.set(phase_slots_[object], to);
      }
      ++object;
    }
  rule_.moved(plan.volume, decision.migration_s, times_of_ranks(stats.from_proc),
              times_of_ranks(stats.to_proc));
}

}  // namespace

Replay replay(const lbdata::Dataset& dataset, const ReplayRequest& request, support::Progress& progress) {
  const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
  if (phases.empty()) last_complete_phase(dataset);  // throws
  ReplayWalk walk(dataset, request);
  progress.begin("replaying", phases.size(), "phases");
  for (const std::int64_t phase : phases) {
    walk.run(phase);
    if (phase != phases.back()) walk.decide();
    progress.advance(1);
  }
  progress.end();
  return walk.take();
}

}  // namespace plimsoll::balance
