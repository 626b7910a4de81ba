#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/documents/placements.hpp>

#include "documents/describe.hpp"
#include "documents/load_source.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace balance;

namespace {

/// The objects that a placement moves.
struct Moves {
  const Quality* quality = nullptr;
};

Moves moves_of(const StrategyResult& result) {
  return {&result.quality};
}

NamedValues<double> remarks_of(const StrategyResult& result) {
  NamedValues<double> remarks;
  for (const Remark& remark : result.remarks) remarks.emplace_back(remark.key, remark.value);
  return remarks;
}

const Decision& decision_of(const BalanceInfo& info) {
  return info.decision;
}

bool is_offline_plan(const BalanceInfo& info) {
  return info.migrate_after.has_value();
}

/// The recorded placement in a comparison.
struct ComparedPlacement {
  const Quality* quality = nullptr;
};

const PhaseComparison& comparison_of(const ComparisonInfo& info) {
  return info.comparison;
}

bool has_succeeded(const StrategyResult& result) {
  return result.failure.empty();
}

constexpr auto if_successful = only_if<has_succeeded>;
constexpr const char* about_work_bound = "lower bound on the maximum work of a rank; only with `--work`";
constexpr const char* about_above_bound = "max load / lower bound − 1";
constexpr const char* about_rank_loads = "load of each rank; only in reports";

}  // namespace

template <>
inline constexpr std::array fields<LDStats> = {
    field<&LDStats::count>("ranks", "number of ranks"),
    field<&LDStats::n_objs>("objects", "number of objects"),
};

template <>
inline constexpr std::array fields<DatasetPhase> = {
    member<&DatasetPhase::phase>("phase whose objects were placed"),
    member<&DatasetPhase::synchronised>(
        "whether the ranks are assumed to synchronise after each subphase (`--subphases`)"),
    merged<&DatasetPhase::stats>(),
};

template <>
inline constexpr std::array fields<Bound> = {
    field<&Bound::time_s>("lower_bound_s", "as in `info`"),
    field<&Bound::cause>("lower_bound_cause", "as in `info`"),
};

template <>
inline constexpr std::array fields<Quality> = {
    field<&Quality::max_time_s>("max_load_s", "as in `info`"),
    field<&Quality::mean_time_s>("mean_load_s", "mean load of the ranks"),
    member<&Quality::imbalance>("max/mean − 1").or_null(),
    field<&Quality::work, &WorkSummary::sum>("work_sum_s", "total work according to the work model"),
    field<&Quality::work, &WorkSummary::max>("work_max_s", "maximum work of a rank"),
    member<&Quality::max_memory_bytes>("maximum memory per rank; `null` if the data contain no memory sizes"),
    member<&Quality::max_node_memory_bytes>("maximum memory per node; `null` also if the nodes are unknown"),
    member<&Quality::off_rank_bytes>("bytes between ranks"),
    member<&Quality::off_rank_messages>("messages between ranks"),
};

template <>
inline constexpr std::array fields<Moves> = {
    field<&Moves::quality, &Quality::n_moved>("moved_objects", "number of migrated objects"),
    member<&Moves::quality, &Quality::moved_load_s>("their load"),
    member<&Moves::quality, &Quality::moved_bytes>("their bytes, of tasks with memory data only"),
};

template <>
inline constexpr std::array fields<LaterPhase> = {
    member<&LaterPhase::phase>(),
    field<&LaterPhase::max_time_s>("max_load_s",
                                   "this key and the next two if the objects of `phase` stay where the "
                                   "strategy placed them, and all other objects where they were recorded"),
    field<&LaterPhase::mean_time_s>("mean_load_s"),
    member<&LaterPhase::imbalance>().or_null(),
    field<&LaterPhase::recorded_max_time_s>("recorded_max_load_s"),
    member<&LaterPhase::recorded_imbalance>().or_null(),
};

template <>
inline constexpr std::array fields<BalanceInfo> = {
    member<decision_of, &Decision::result, &StrategyResult::strategy>("name of the strategy"),
    field<decision_of, &Decision::result, &StrategyResult::parameters, &Parameters::values>(
        "parameters", "an object with the value of each parameter"),
    merged<&BalanceInfo::loads>(),
    merged<decision_of, &Decision::phase>(),
    merged<decision_of, &Decision::bound>(),
    field<decision_of, &Decision::work_bound>("work_lower_bound_s", about_work_bound).or_absent(),
    member<decision_of, &Decision::before>("the recorded placement"),
    field<decision_of, &Decision::result, &StrategyResult::quality>("after", "the new placement"),
    merged<decision_of, &Decision::result, moves_of>(),
    field<decision_of, &Decision::result, &StrategyResult::decision_s>("strategy_time_s",
                                                                       "run time of the strategy itself"),
    field<decision_of, &Decision::result, remarks_of>(
        "remarks",
        "an object with remarks from the strategy: `proven_bound`, a lower bound on the maximum work, for "
        "OptimalLB; `missed_target_imbalance`, the target, if the strategy has one and missed it; "
        "`memory_bound_s`, a lower bound on the maximum load of all placements within the memory "
        "limits, if these raise the lower bound; `ignored_subphases`, the number of subphases, if the ranks "
        "synchronise after each, but the strategy balances whole phases; `ranks_above_memory_limit` and "
        "`nodes_above_memory_limit`, the number of ranks and nodes "
        "that use more memory than `max_memory_bytes` and `max_node_memory_bytes` permit; empty otherwise"),
    field<&BalanceInfo::later>("later_phases",
                               "what the placement is worth in the phases after `phase`, or after "
                               "`migrate_after`, that have data on all ranks"),
    member<&BalanceInfo::output>("the output directory; `null` if no data were written").or_null(),
    member<&BalanceInfo::migrate_after>(
        "phase at whose end vt migrates to the new placement; only with `--offline-lb`")
        .or_absent(),
    only_if<is_offline_plan>(field<&BalanceInfo::output, offline_lb_arguments>(
        "vt_arguments", "the arguments with which a vt program follows the plan; only with `--offline-lb`")),
};

template <>
inline constexpr std::array fields<ComparedPlacement> = {
    merged<&ComparedPlacement::quality>(),
    field<[](const ComparedPlacement& placement, const ComparisonInfo& info) {
      return above_bound(*placement.quality, info.comparison.comparison.bound);
    }>("above_bound", about_above_bound),
    field<[](const ComparedPlacement&, const ComparisonInfo& info) {
      const LDStats& stats = info.comparison.phase.stats;
      return info.with_rank_loads ? std::optional(finish_times(stats, stats.from_proc)) : std::nullopt;
    }>("rank_loads_s", about_rank_loads)
        .or_absent(),
};

template <>
inline constexpr std::array fields<StrategyResult> = {
    member<&StrategyResult::strategy>("name of the strategy"),
    field<&StrategyResult::parameters, &Parameters::values>("parameters",
                                                            "an object with the value of each parameter"),
    if_successful(merged<&StrategyResult::quality>()),
    if_successful(merged<moves_of>()),
    if_successful(field<[](const StrategyResult& result, const ComparisonInfo& info) {
      return above_bound(result.quality, info.comparison.comparison.bound);
    }>("above_bound", about_above_bound)),
    if_successful(field<&StrategyResult::decision_s>("strategy_time_s", "run time of the strategy itself")),
    if_successful(member<&StrategyResult::non_dominated>(
        "true for Pareto-optimal results (metrics: maximum work, which is the maximum load without `--work`, "
        "maximum memory per rank and node, off-rank bytes, migrated objects and bytes)")),
    if_successful(field<remarks_of>("remarks", "as in `balance`")),
    only_if<[](const StrategyResult& result, const ComparisonInfo& info) {
      return has_succeeded(result) && info.with_rank_loads;
    }>(field<&StrategyResult::rank_loads_s>("rank_loads_s", about_rank_loads)),
    member<&StrategyResult::failure>(
        "the reason why the strategy computed no placement; only `strategy` and `parameters` are then "
        "present. If all strategies fail, `compare` reports an error instead")
        .or_absent(),
};

template <>
inline constexpr std::array fields<ComparisonInfo> = {
    member<comparison_of, &PhaseComparison::phase, &DatasetPhase::phase>("phase whose objects were placed"),
    member<comparison_of, &PhaseComparison::phase, &DatasetPhase::synchronised>("as in `balance`"),
    merged<&ComparisonInfo::loads>(),
    merged<comparison_of, &PhaseComparison::phase, &DatasetPhase::stats>(),
    merged<comparison_of, &PhaseComparison::comparison, &Comparison::bound>(),
    field<comparison_of, &PhaseComparison::comparison, &Comparison::work_bound>("work_lower_bound_s",
                                                                                about_work_bound)
        .or_absent(),
    field<[](const ComparisonInfo& info) { return ComparedPlacement{&info.comparison.comparison.start}; }>(
        "start", "the recorded placement"),
    field<comparison_of, &PhaseComparison::comparison, &Comparison::results>("strategies",
                                                                             "in the order requested"),
};

template const Structure& structure<BalanceInfo>();
template const Structure& structure<ComparisonInfo>();

}  // namespace plimsoll::documents
