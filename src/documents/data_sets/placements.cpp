#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/documents/placements.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using balance::Bound;
using balance::DatasetPhase;
using balance::LaterPhase;
using balance::LDStats;
using balance::Quality;
using balance::StrategyResult;
using balance::WorkSummary;

namespace {

/// A phase and the lower bound of its placements.
struct PhaseAndBound {
  const DatasetPhase* phase = nullptr;
  const Bound* bound = nullptr;
};

/// The objects that a placement moves.
struct Moves {
  const Quality* quality = nullptr;
};

/// Name and parameters of a strategy.
struct NamedStrategy {
  const StrategyResult* result = nullptr;
};

NamedValues<double> remarks_of(const StrategyResult& result) {
  NamedValues<double> remarks;
  for (const balance::Remark& remark : result.remarks) remarks.emplace_back(remark.key, remark.value);
  return remarks;
}

PhaseAndBound phase_of_decision(const BalanceInfo& info) {
  return {&info.decision.phase, &info.decision.bound};
}

NamedStrategy strategy_of_decision(const BalanceInfo& info) {
  return {&info.decision.result};
}

const Quality& quality_before(const BalanceInfo& info) {
  return info.decision.before;
}

const StrategyResult& result_of_decision(const BalanceInfo& info) {
  return info.decision.result;
}

Moves moves_of_decision(const BalanceInfo& info) {
  return {&info.decision.result.quality};
}

std::optional<std::vector<std::string>> vt_arguments(const BalanceInfo& info) {
  return info.is_offline_plan ? std::optional(balance::offline_lb_arguments(info.output)) : std::nullopt;
}

/// A placement in a comparison.
struct ComparedPlacement {
  const Quality* quality = nullptr;
  const Bound* bound = nullptr;
  std::optional<std::vector<double>> rank_loads_s;

  double above_bound() const { return balance::above_bound(*quality, *bound); }
};

/// A strategy in a comparison.
struct ComparedStrategy {
  const StrategyResult* result = nullptr;
  const Bound* bound = nullptr;
  bool with_rank_loads = false;

  bool has_succeeded() const { return result->failure.empty(); }
  NamedStrategy strategy() const { return {result}; }
  const Quality* quality() const { return has_succeeded() ? &result->quality : nullptr; }
  std::optional<Moves> moves() const {
    return has_succeeded() ? std::optional(Moves{&result->quality}) : std::nullopt;
  }
  double above_bound() const { return balance::above_bound(result->quality, *bound); }
  bool has_rank_loads() const { return has_succeeded() && with_rank_loads; }
};

PhaseAndBound phase_of_comparison(const ComparisonInfo& info) {
  return {&info.comparison.phase, &info.comparison.comparison.bound};
}

ComparedPlacement start_of_comparison(const ComparisonInfo& info) {
  const auto& [phase, comparison] = info.comparison;
  ComparedPlacement start = {&comparison.start, &comparison.bound, {}};
  if (info.with_rank_loads) start.rank_loads_s = balance::finish_times(phase.stats, phase.stats.from_proc);
  return start;
}

std::vector<ComparedStrategy> strategies_of(const ComparisonInfo& info) {
  std::vector<ComparedStrategy> strategies;
  const balance::Comparison& comparison = info.comparison.comparison;
  for (const StrategyResult& result : comparison.results)
    strategies.push_back({&result, &comparison.bound, info.with_rank_loads});
  return strategies;
}

}  // namespace

template <>
inline constexpr std::array fields<LoadSource> = {
    field<&LoadSource::field>("load_field",
                              "field that was used as load (`--load`); `null` for the recorded loads")
        .or_null(),
    field<&LoadSource::model>("load_model",
                              "load model that predicts the loads, as a pipeline "
                              "([load-models.md](load-models.md)); `NaivePersistence`: measured loads"),
};

template <>
inline constexpr std::array fields<PhaseAndBound> = {
    field<&PhaseAndBound::phase, &DatasetPhase::stats, &LDStats::count>("ranks", "number of ranks"),
    field<&PhaseAndBound::phase, &DatasetPhase::stats, &LDStats::n_objs>("objects", "number of objects"),
    field<&PhaseAndBound::bound, &Bound::time_s>("lower_bound_s", "as in `info`"),
    field<&PhaseAndBound::bound, &Bound::cause>("lower_bound_cause", "as in `info`"),
};

template <>
inline constexpr std::array fields<Quality> = {
    field<&Quality::max_time_s>("max_load_s", "maximum load of a rank"),
    field<&Quality::mean_time_s>("mean_load_s", "mean load of the ranks"),
    field<&Quality::imbalance>("imbalance", "max/mean − 1").or_null(),
    field<&Quality::work, &WorkSummary::sum>("work_sum_s", "total work according to the work model"),
    field<&Quality::work, &WorkSummary::max>("work_max_s", "maximum work of a rank"),
    field<&Quality::max_memory_bytes>("max_memory_bytes",
                                      "maximum memory per rank; `null` if the data contain no memory sizes"),
    field<&Quality::max_node_memory_bytes>("max_node_memory_bytes",
                                           "maximum memory per node; `null` also if the nodes are unknown"),
    field<&Quality::off_rank_bytes>("off_rank_bytes", "bytes between ranks"),
    field<&Quality::off_rank_messages>("off_rank_messages", "messages between ranks"),
};

template <>
inline constexpr std::array fields<Moves> = {
    field<&Moves::quality, &Quality::n_moved>("moved_objects", "number of migrated objects"),
    field<&Moves::quality, &Quality::moved_load_s>("moved_load_s", "their load"),
    field<&Moves::quality, &Quality::moved_bytes>("moved_bytes",
                                                  "their bytes, of tasks with memory data only"),
};

template <>
inline constexpr std::array fields<NamedStrategy> = {
    field<&NamedStrategy::result, &StrategyResult::strategy>("strategy", "name of the strategy"),
    field<&NamedStrategy::result, &StrategyResult::parameters, &balance::Parameters::values>(
        "parameters", "an object with the value of each parameter"),
};

template <>
inline constexpr std::array fields<LaterPhase> = {
    field<&LaterPhase::phase>("phase"),
    field<&LaterPhase::max_time_s>("max_load_s",
                                   "this key and the next two if the objects of `phase` stay where the "
                                   "strategy placed them, and all other objects where they were recorded"),
    field<&LaterPhase::mean_time_s>("mean_load_s"),
    field<&LaterPhase::imbalance>("imbalance").or_null(),
    field<&LaterPhase::recorded_max_time_s>("recorded_max_load_s"),
    field<&LaterPhase::recorded_imbalance>("recorded_imbalance").or_null(),
};

template <>
inline constexpr std::array fields<BalanceInfo> = {
    merged<strategy_of_decision>(),
    merged<&BalanceInfo::loads>(),
    field<phase_of_decision, &PhaseAndBound::phase, &DatasetPhase::phase>("phase",
                                                                          "phase whose objects were placed"),
    merged<phase_of_decision>(),
    field<quality_before>("before", "the recorded placement"),
    field<result_of_decision, &StrategyResult::quality>("after", "the new placement"),
    merged<moves_of_decision>(),
    field<result_of_decision, &StrategyResult::decision_s>("strategy_time_s",
                                                           "run time of the strategy itself"),
    field<result_of_decision, remarks_of>(
        "remarks",
        "an object with remarks from the strategy: `proven_bound`, a lower bound on the maximum work, for "
        "OptimalLB; `missed_target_imbalance`, the target, if RefineLB, GreedyRefineLB or RefineSwapLB "
        "missed it; `ranks_above_memory_limit` and `nodes_above_memory_limit`, the number of ranks and nodes "
        "that use more memory than `max_memory_bytes` and `max_node_memory_bytes` permit; empty otherwise"),
    field<&BalanceInfo::later>("later_phases",
                               "what the placement is worth in the phases after `phase` that have data on "
                               "all ranks. Empty after the last phase"),
    field<&BalanceInfo::output>("output", "the output directory; `null` if no data were written").or_null(),
    field<vt_arguments>("vt_arguments",
                        "the arguments with which a vt program follows the plan; only with `--offline-lb`")
        .or_absent(),
};

template <>
inline constexpr std::array fields<ComparedPlacement> = {
    merged<&ComparedPlacement::quality>(),
    field<&ComparedPlacement::above_bound>("above_bound", "max load / lower bound − 1"),
    field<&ComparedPlacement::rank_loads_s>("rank_loads_s", "load of each rank; only in reports").or_absent(),
};

template <>
inline constexpr std::array fields<ComparedStrategy> = {
    merged<&ComparedStrategy::strategy>(),
    merged<&ComparedStrategy::quality>().or_absent(),
    merged<&ComparedStrategy::moves>(),
    only_if<&ComparedStrategy::has_succeeded>(
        field<&ComparedStrategy::above_bound>("above_bound", "max load / lower bound − 1")),
    only_if<&ComparedStrategy::has_succeeded>(field<&ComparedStrategy::result, &StrategyResult::decision_s>(
        "strategy_time_s", "run time of the strategy itself")),
    only_if<&ComparedStrategy::has_succeeded>(
        field<&ComparedStrategy::result, &StrategyResult::non_dominated>(
            "non_dominated",
            "true for Pareto-optimal results (metrics: maximum load, maximum work, maximum memory per rank "
            "and node, off-rank bytes, migrated objects and bytes)")),
    only_if<&ComparedStrategy::has_succeeded>(
        field<&ComparedStrategy::result, remarks_of>("remarks", "as in `balance`")),
    only_if<&ComparedStrategy::has_rank_loads>(
        field<&ComparedStrategy::result, &StrategyResult::rank_loads_s>(
            "rank_loads_s", "load of each rank; only in reports")),
    field<&ComparedStrategy::result, &StrategyResult::failure>(
        "failure",
        "the reason why the strategy computed no placement; only `strategy` and `parameters` are then "
        "present. If all strategies fail, `compare` reports an error instead")
        .or_absent(),
};

template <>
inline constexpr std::array fields<ComparisonInfo> = {
    field<phase_of_comparison, &PhaseAndBound::phase, &DatasetPhase::phase>(
        "phase", "phase whose objects were placed"),
    merged<&ComparisonInfo::loads>(),
    merged<phase_of_comparison>(),
    field<start_of_comparison>("start", "the recorded placement"),
    field<strategies_of>("strategies", "in the order requested"),
};

template <>
const Structure& structure<BalanceInfo>() {
  return structure_of<BalanceInfo>;
}

template <>
const Structure& structure<ComparisonInfo>() {
  return structure_of<ComparisonInfo>;
}

}  // namespace plimsoll::documents
