#include <cstdint>
#include <map>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/lbdata/entity_table.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace balance;
using lbdata::DataComparison;
using lbdata::DataDifference;
using lbdata::Quartiles;
using lbdata::RecordedStatistics;
using lbdata::StatisticsRecord;

namespace {

/// Statistics of loads in seconds, or of traffic in bytes.
template <bool in_bytes>
struct StatisticsIn : RecordedStatistics {};

using InSeconds = StatisticsIn<false>;
using InBytes = StatisticsIn<true>;
using StatisticsByName = std::map<std::string, std::variant<InSeconds, InBytes>>;

/// Files contain counts as fractions, such as 4.0.
std::variant<std::int64_t, double> as_count(const double& number) {
  constexpr double bound = 9007199254740992.0;  // 2^53: below it, doubles represent all integers
  if (number == std::trunc(number) && std::abs(number) < bound) return static_cast<std::int64_t>(number);
  return number;
}

StatisticsByName with_units(const lbdata::RecordedStatisticsByName& block) {
  StatisticsByName statistics;
  for (const auto& [name, values] : block) {
    if (is_in_bytes(name))
      statistics.emplace(name, InBytes{values});
    else
      statistics.emplace(name, InSeconds{values});
  }
  return statistics;
}

InSeconds statistics_of_loads(const LoadDistribution& loads) {
  RecordedStatistics statistics = lbdata::recorded(loads.statistics);
  statistics.imbalance = defined_imbalance(loads.statistics);
  return {statistics};
}

/// Memory of the ranks and nodes that use most.
struct MemoryMaxima {
  double max_memory_bytes = 0;
  double max_node_memory_bytes = 0;
};

const WorkSummary* work_of(const PhaseOverview& phase, const DataSetInfo& info) {
  return info.with_work ? &phase.quality.work : nullptr;
}

std::optional<MemoryMaxima> memory_of(const PhaseOverview& phase, const DataSetInfo& info) {
  const WorkSummary& work = phase.quality.work;
  if (!info.with_work || work.memory_bytes.empty()) return std::nullopt;
  return MemoryMaxima{phase.max_memory_bytes(), std::ranges::max(work.node_memory_bytes)};
}

std::optional<RawJson> attributes_of(const DataSetInfo& info) {
  const auto& first = info.dataset.ranks.front().metadata.attributes;
  const bool are_equal = std::ranges::all_of(
      info.dataset.ranks, [&](const lbdata::RankData& rank) { return rank.metadata.attributes == first; });
  if (!are_equal || !first) return std::nullopt;
  RawJson attributes{*first};
  std::ranges::replace_if(
      attributes.text, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  return attributes;
}

const DatasetOverview& overview_of(const DataSetInfo& info) {
  return info.overview;
}

}  // namespace

template <bool in_bytes>
inline constexpr std::array<Field, 11> fields<StatisticsIn<in_bytes>> = {
    field<&RecordedStatistics::count, as_count>("count", "number of values"),
    field<&RecordedStatistics::nonzero_count, as_count>("nonzero_count", "number of values other than 0"),
    field<&RecordedStatistics::sum>(in_bytes ? "sum_bytes" : "sum_s", "sum"),
    field<&RecordedStatistics::average>(in_bytes ? "mean_bytes" : "mean_s", "mean"),
    field<&RecordedStatistics::minimum>(in_bytes ? "min_bytes" : "min_s", "minimum"),
    field<&RecordedStatistics::maximum>(in_bytes ? "max_bytes" : "max_s", "maximum"),
    member<&RecordedStatistics::imbalance>("max/mean − 1").or_null(),
    field<&RecordedStatistics::standard_deviation>(
        in_bytes ? "std_deviation_bytes" : "std_deviation_s",
        "population standard deviation: the sum of squares is divided by `count`"),
    field<&RecordedStatistics::variance>(in_bytes ? "variance_bytes2" : "variance_s2", "its square"),
    member<&RecordedStatistics::skewness>("the definition of vt ([statistics](lb-data-files.md#statistics))")
        .or_null(),
    field<&RecordedStatistics::kurtosis>("excess_kurtosis", "in the same way").or_null(),
};

template <>
inline constexpr std::array fields<Quartiles> = {
    field<&Quartiles::lower>(
        "lower_quartile_s",
        "lower quartile, interpolated linearly as in NumPy; vt and LBAF print no quartiles"),
    field<&Quartiles::median>("median_s", "median, in the same way"),
    field<&Quartiles::upper>("upper_quartile_s", "upper quartile, in the same way"),
};

template <>
inline constexpr std::array fields<LoadDistribution> = {
    merged<statistics_of_loads>(),
    merged<&LoadDistribution::quartiles>(),
};

template <>
inline constexpr std::array fields<WorkSummary> = {
    field<&WorkSummary::sum>("work_sum_s", "total work; only with `--work`"),
    field<&WorkSummary::max>("work_max_s", "maximum work of a rank; only with `--work`"),
    field<&WorkSummary::imbalance>("work_imbalance", "its imbalance; only with `--work`").or_null(),
};

template <>
inline constexpr std::array fields<MemoryMaxima> = {
    member<&MemoryMaxima::max_memory_bytes>(
        "maximum memory per rank; only if `--work` has four or more numbers"),
    member<&MemoryMaxima::max_node_memory_bytes>("maximum memory per node; in the same case"),
};

template <>
inline constexpr std::array fields<PhaseOverview> = {
    member<&PhaseOverview::phase>("ID of the phase"),
    field<&PhaseOverview::n_objects>("objects", "number of objects"),
    field<&PhaseOverview::n_migratable>("migratable_objects", "number of migratable objects"),
    field<&PhaseOverview::n_edges>("edges", "number of edges"),
    field<&PhaseOverview::quality, &Quality::max_time_s>(
        "max_load_s", "maximum load of a rank; with `--subphases synchronised`, the time of the phase"),
    field<&PhaseOverview::quality, &Quality::mean_time_s>("mean_load_s", "mean load of the ranks"),
    member<&PhaseOverview::quality, &Quality::imbalance>("max/mean − 1").or_null(),
    field<&PhaseOverview::bound, &Bound::time_s>("lower_bound_s",
                                                 "minimum `max_load_s`: no placement can take less"),
    field<&PhaseOverview::bound, &Bound::cause>(
        "lower_bound_cause",
        "`mean`, `heaviest object`, `pair of objects`, `fixed load`, `whole load units`, `sum of the "
        "subphases' bounds`"),
    field<&PhaseOverview::n_subphases>("subphases", "number of subphases; 0 also if they are invalid"),
    member<&PhaseOverview::synchronised_time_s>(
        "time of the phase if the ranks synchronise after each subphase"),
    member<&PhaseOverview::free_time_s>("time of the phase if they do not: the maximum load of a rank"),
    member<&PhaseOverview::outside_subphases_s>(
        "load of all objects outside of subphases; only if `subphases` is not 0"),
    member<&PhaseOverview::quality, &Quality::off_rank_bytes>("bytes between ranks"),
    member<&PhaseOverview::quality, &Quality::off_rank_messages>("messages between ranks"),
    merged<work_of>().or_absent(),
    merged<memory_of>(),
    member<&PhaseOverview::rank_loads>("distribution of the loads of all ranks"),
    member<&PhaseOverview::object_loads>("distribution of the loads of all objects"),
};

template <>
inline constexpr std::array fields<RecordedBalancing> = {
    member<&RecordedBalancing::strategies>("their names"),
    field<&RecordedBalancing::n_phases>("phases", "number of phases at whose end a strategy ran"),
    field<&RecordedBalancing::n_migrated_phases>("phases_with_migrations",
                                                 "number of those at whose end objects migrated"),
    field<&RecordedBalancing::n_migrations>("migrations", "number of migrated objects"),
    member<&RecordedBalancing::decision_s>("total time of decisions"),
    member<&RecordedBalancing::migration_s>("total time of migrations"),
};

template <>
inline constexpr std::array fields<FeatureCost> = {
    member<&FeatureCost::feature>("name of the feature"),
    member<&FeatureCost::cost_s>("seconds per unit of the feature"),
    member<&FeatureCost::error_s>("standard error of the cost"),
};

template <>
inline constexpr std::array fields<InferredCosts> = {
    member<&InferredCosts::costs>("costs of the features"),
    member<&InferredCosts::remarks>("sentences about features whose costs are unknown"),
};

template <>
inline constexpr std::array fields<HeavyObject> = {
    field<[](const HeavyObject& object, const DataSetInfo& info) {
      return RawJson{std::string(name_of(info.dataset.entities, object.entity).number)};
    }>("object", "its number in the files"),
    members<&HeavyObject::rank, &HeavyObject::phase, &HeavyObject::load_s>(),
    field<[](const HeavyObject& object, const DataSetInfo& info) -> bool {
      return info.dataset.entities.migratable(object.entity);
    }>("migratable"),
};

template <>
inline constexpr std::array fields<Diagnostic> = {
    members<&Diagnostic::check, &Diagnostic::what, &Diagnostic::suggestion>(),
};

template <>
inline constexpr std::array fields<DataSetInfo> = {
    field<[](const DataSetInfo& info) { return info.dataset.ranks.size(); }>("ranks", "number of ranks"),
    field<attributes_of>("attributes",
                         "`attributes` of the [metadata](lb-data-files.md#metadata), such as the `seed` of "
                         "generated data; `null` unless all ranks have the same"),
    field<overview_of, &DatasetOverview::synchronised>(
        "synchronised", "whether the ranks are assumed to synchronise after each subphase (`--subphases`)"),
    member<overview_of, &DatasetOverview::phases>("phases with data on all ranks"),
    field<overview_of, &DatasetOverview::balancing>("load_balancing",
                                                    "load balancing in the run that recorded the data"),
    field<overview_of, &DatasetOverview::inferred>(
        "inferred_costs",
        "costs of features, from which loads were inferred, in the last phase that has them; without such "
        "loads, both lists are empty"),
    member<overview_of, &DatasetOverview::partial_phases>(
        "phases without data from some ranks; not included in `phases`"),
    field<overview_of, &DatasetOverview::heaviest>("heaviest_objects", "heaviest first"),
    member<&DataSetInfo::warnings>(
        "the findings of [`local-messages` and `object-messages`](lb-data-files.md#checks)"),
};

template <>
inline constexpr std::array fields<lbdata::NotBalanced> = {
    member<&lbdata::NotBalanced::reason>(
        "[name of the reason](lb-data-files.md#not-balanced), such as `price`"),
    member<&lbdata::NotBalanced::text>("the reason in a sentence"),
    member<&lbdata::NotBalanced::numbers>("what was compared, by name; times in seconds"),
};

template <>
inline constexpr std::array fields<StatisticsRecord> = {
    member<&StatisticsRecord::phase>("ID of the phase"),
    field<&StatisticsRecord::migration_count>("moved_objects",
                                              "number of migrated objects; `null` without load balancing"),
    field<&StatisticsRecord::pre_lb, with_units>(
        "before",
        "statistics before load balancing, by their [name in the file](lb-data-files.md#statistics-file), "
        "such as `Rank_load_raw`"),
    field<&StatisticsRecord::post_lb, with_units>(
        "after", "statistics after load balancing; `null` without load balancing"),
    member<&StatisticsRecord::not_balanced>(
        "why nothing migrated; `null` if objects migrated, or no strategy was selected"),
};

template <>
inline constexpr std::array fields<StatisticsFileInfo> = {
    field<[](const StatisticsFileInfo&) { return "LBStatsfile"; }>("type", "`LBStatsfile`"),
    member<&StatisticsFileInfo::phases>(),
};

template <>
inline constexpr std::array fields<DataDifference> = {
    member<&DataDifference::file>("path in the first data set, or in the second if only that has the file"),
    member<&DataDifference::rank>("rank of the file"),
    member<&DataDifference::phase>("ID of the phase; `null` for metadata and missing files"),
    member<&DataDifference::iteration>("ID of the phase's iteration (`lb_iterations`), or `null`"),
    member<&DataDifference::object>(
        "task or edge, such as `object 5` or `SendRecv from object 5 to object 7`; `null` for values of a "
        "rank or phase")
        .or_null(),
    member<&DataDifference::field>("path of the value, such as `time` or `user_defined/shared_id`"),
    member<&DataDifference::first>("value in the first data set, as text; `null` if it is absent"),
    member<&DataDifference::second>("value in the second data set, in the same way"),
};

template <>
inline constexpr std::array fields<DataComparison> = {
    field<&DataComparison::equal>("equal", "whether the contents are equal"),
    member<&DataComparison::differences>("first differences"),
    member<&DataComparison::cut_off>(
        "true if the number of differences exceeded `--max-differences`. The comparison then stopped"),
    member<&DataComparison::files>("number of compared files of the first data set"),
    member<&DataComparison::phases>("number of phase records in these files"),
    member<&DataComparison::tasks>("number of tasks in these files"),
    member<&DataComparison::communications>("number of edges in these files"),
};

template <>
inline constexpr std::array fields<RankOverview> = {
    field<[](const RankOverview& rank, const RankInfo& info) { return &rank - info.ranks.data(); }>(
        "rank", "number of the rank"),
    member<&RankOverview::load_s>("sum of the loads of its objects"),
    field<&RankOverview::n_objects>("objects", "number of objects"),
    field<&RankOverview::n_migratable>("migratable_objects", "number of migratable objects")
        .titled("migratable"),
    member<&RankOverview::memory_bytes>(
        "memory as in the [work model](../explanation/work-model.md); `null` (in CSV empty) if no task has "
        "memory data"),
    member<&RankOverview::sent_bytes>("bytes sent to other ranks"),
    member<&RankOverview::sent_messages>("messages sent to other ranks"),
    member<&RankOverview::received_bytes>("bytes received from other ranks"),
    member<&RankOverview::received_messages>("messages received from other ranks"),
};

template <>
inline constexpr std::array fields<RankInfo> = {
    field<[](const RankInfo& info) { return info.ranks.size(); }>("ranks", "number of ranks"),
    member<&RankInfo::phase>("phase that is shown"),
    field<&RankInfo::ranks>("per_rank", "the ranks in their order"),
};

template const Structure& structure<DataSetInfo>();
template const Structure& structure<StatisticsFileInfo>();
template const Structure& structure<RankInfo>();
template const Structure& structure<RankOverview>();
template const Structure& structure<DataComparison>();

}  // namespace plimsoll::documents
