#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/lbdata/entity_table.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using balance::Bound;
using balance::HeavyObject;
using balance::LoadDistribution;
using balance::PhaseOverview;
using balance::Quality;
using balance::RankOverview;
using balance::RecordedBalancing;
using balance::WorkSummary;
using lbdata::Quartiles;
using lbdata::RecordedStatistics;
using lbdata::StatisticsRecord;

namespace {

/// Statistics of loads in seconds, or of traffic in bytes.
template <bool in_bytes>
struct StatisticsIn {
  RecordedStatistics values;
};

using InSeconds = StatisticsIn<false>;
using InBytes = StatisticsIn<true>;
using StatisticsByName = std::map<std::string, std::variant<InSeconds, InBytes>>;

/// Files contain counts as fractions, such as 4.0.
std::variant<std::int64_t, double> as_count(double number) {
  constexpr double bound = 9007199254740992.0;  // 2^53: below it, doubles represent all integers
  if (number == std::trunc(number) && std::abs(number) < bound) return static_cast<std::int64_t>(number);
  return number;
}

std::variant<std::int64_t, double> value_count(const RecordedStatistics& statistics) {
  return as_count(statistics.count);
}

std::variant<std::int64_t, double> nonzero_count(const RecordedStatistics& statistics) {
  return as_count(statistics.nonzero_count);
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

std::optional<StatisticsByName> after_balancing(const StatisticsRecord& record) {
  return record.post_lb ? std::optional(with_units(*record.post_lb)) : std::nullopt;
}

InSeconds statistics_of_loads(const LoadDistribution& loads) {
  RecordedStatistics statistics = lbdata::recorded(loads.statistics);
  statistics.imbalance = defined_imbalance(loads.statistics);
  return {statistics};
}

/// A phase, with what its document contains.
struct PhaseInfo {
  const PhaseOverview* phase = nullptr;
  bool with_work = false;
};

/// Memory of the ranks and nodes that use most.
struct MemoryMaxima {
  double max_memory_bytes = 0;
  double max_node_memory_bytes = 0;
};

const WorkSummary* work_of(const PhaseInfo& info) {
  return info.with_work ? &info.phase->quality.work : nullptr;
}

std::optional<MemoryMaxima> memory_of(const PhaseInfo& info) {
  const WorkSummary& work = info.phase->quality.work;
  if (!info.with_work || work.memory_bytes.empty()) return std::nullopt;
  return MemoryMaxima{info.phase->max_memory_bytes(), std::ranges::max(work.node_memory_bytes)};
}

/// One of the heaviest objects.
struct ObjectInfo {
  const HeavyObject* object = nullptr;
  const lbdata::Dataset* dataset = nullptr;
};

RawJson number_of(const ObjectInfo& info) {
  return {std::string(name_of(info.dataset->entities, info.object->entity).number)};
}

bool is_migratable(const ObjectInfo& info) {
  return info.dataset->entities.migratable(info.object->entity);
}

std::size_t number_of_ranks(const DataSetInfo& info) {
  return info.dataset.ranks.size();
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

std::vector<PhaseInfo> phases_of(const DataSetInfo& info) {
  std::vector<PhaseInfo> phases;
  for (const PhaseOverview& phase : info.overview.phases) phases.push_back({&phase, info.with_work});
  return phases;
}

const RecordedBalancing& balancing_of(const DataSetInfo& info) {
  return info.overview.balancing;
}

const std::vector<std::int64_t>& partial_phases_of(const DataSetInfo& info) {
  return info.overview.partial_phases;
}

std::vector<ObjectInfo> heaviest_objects_of(const DataSetInfo& info) {
  std::vector<ObjectInfo> objects;
  for (const HeavyObject& object : info.overview.heaviest) objects.push_back({&object, &info.dataset});
  return objects;
}

std::span<const Diagnostic> warnings_of(const DataSetInfo& info) {
  return info.warnings;
}

const char* type_of_file(const StatisticsFileInfo&) {
  return "LBStatsfile";
}

/// A rank with its number.
struct NumberedRank {
  std::size_t number = 0;
  const RankOverview* overview = nullptr;
};

std::size_t rank_count(const RankInfo& info) {
  return info.ranks.size();
}

std::vector<NumberedRank> numbered_ranks(const RankInfo& info) {
  std::vector<NumberedRank> ranks;
  for (std::size_t rank = 0; rank < info.ranks.size(); ++rank) ranks.push_back({rank, &info.ranks[rank]});
  return ranks;
}

}  // namespace

template <bool in_bytes>
inline constexpr std::array<Field, 11> fields<StatisticsIn<in_bytes>> = {
    field<&StatisticsIn<in_bytes>::values, value_count>("count", "number of values"),
    field<&StatisticsIn<in_bytes>::values, nonzero_count>("nonzero_count", "number of values other than 0"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::sum>(in_bytes ? "sum_bytes" : "sum_s", "sum"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::average>(in_bytes ? "mean_bytes" : "mean_s",
                                                                         "mean"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::minimum>(in_bytes ? "min_bytes" : "min_s",
                                                                         "minimum"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::maximum>(in_bytes ? "max_bytes" : "max_s",
                                                                         "maximum"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::imbalance>("imbalance", "max/mean − 1")
        .or_null(),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::standard_deviation>(
        in_bytes ? "std_deviation_bytes" : "std_deviation_s",
        "population standard deviation: the sum of squares is divided by `count`"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::variance>(
        in_bytes ? "variance_bytes2" : "variance_s2", "its square"),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::skewness>(
        "skewness", "the definition of vt ([statistics](lb-data-files.md#statistics))")
        .or_null(),
    field<&StatisticsIn<in_bytes>::values, &RecordedStatistics::kurtosis>("excess_kurtosis",
                                                                          "in the same way")
        .or_null(),
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
    field<&MemoryMaxima::max_memory_bytes>(
        "max_memory_bytes", "maximum memory per rank; only if `--work` has four or more numbers"),
    field<&MemoryMaxima::max_node_memory_bytes>("max_node_memory_bytes",
                                                "maximum memory per node; in the same case"),
};

template <>
inline constexpr std::array fields<PhaseInfo> = {
    field<&PhaseInfo::phase, &PhaseOverview::phase>("phase", "ID of the phase"),
    field<&PhaseInfo::phase, &PhaseOverview::n_objects>("objects", "number of objects"),
    field<&PhaseInfo::phase, &PhaseOverview::n_migratable>("migratable_objects",
                                                           "number of migratable objects"),
    field<&PhaseInfo::phase, &PhaseOverview::n_edges>("edges", "number of edges"),
    field<&PhaseInfo::phase, &PhaseOverview::quality, &Quality::max_time_s>("max_load_s",
                                                                            "maximum load of a rank"),
    field<&PhaseInfo::phase, &PhaseOverview::quality, &Quality::mean_time_s>("mean_load_s",
                                                                             "mean load of the ranks"),
    field<&PhaseInfo::phase, &PhaseOverview::quality, &Quality::imbalance>("imbalance", "max/mean − 1")
        .or_null(),
    field<&PhaseInfo::phase, &PhaseOverview::bound, &Bound::time_s>(
        "lower_bound_s", "minimum maximum load: no placement can take less"),
    field<&PhaseInfo::phase, &PhaseOverview::bound, &Bound::cause>(
        "lower_bound_cause",
        "`mean`, `heaviest object`, `pair of objects`, `fixed load`, `whole load units`"),
    field<&PhaseInfo::phase, &PhaseOverview::quality, &Quality::off_rank_bytes>("off_rank_bytes",
                                                                                "bytes between ranks"),
    field<&PhaseInfo::phase, &PhaseOverview::quality, &Quality::off_rank_messages>("off_rank_messages",
                                                                                   "messages between ranks"),
    merged<work_of>().or_absent(),
    merged<memory_of>(),
    field<&PhaseInfo::phase, &PhaseOverview::rank_loads>("rank_loads",
                                                         "distribution of the loads of all ranks"),
    field<&PhaseInfo::phase, &PhaseOverview::object_loads>("object_loads",
                                                           "distribution of the loads of all objects"),
};

template <>
inline constexpr std::array fields<RecordedBalancing> = {
    field<&RecordedBalancing::strategies>("strategies", "their names"),
    field<&RecordedBalancing::n_phases>("phases", "number of phases at whose end a strategy ran"),
    field<&RecordedBalancing::n_migrations>("migrations", "number of migrated objects"),
    field<&RecordedBalancing::decision_s>("decision_s", "total time of decisions"),
    field<&RecordedBalancing::migration_s>("migration_s", "total time of migrations"),
};

template <>
inline constexpr std::array fields<ObjectInfo> = {
    field<number_of>("object", "its number in the files"),
    field<&ObjectInfo::object, &HeavyObject::rank>("rank"),
    field<&ObjectInfo::object, &HeavyObject::phase>("phase"),
    field<&ObjectInfo::object, &HeavyObject::load_s>("load_s"),
    field<is_migratable>("migratable"),
};

template <>
inline constexpr std::array fields<Diagnostic> = {
    field<&Diagnostic::check>("check"),
    field<&Diagnostic::what>("what"),
    field<&Diagnostic::suggestion>("suggestion"),
};

template <>
inline constexpr std::array fields<DataSetInfo> = {
    field<number_of_ranks>("ranks", "number of ranks"),
    field<attributes_of>("attributes",
                         "`attributes` of the [metadata](lb-data-files.md#metadata), such as the `seed` of "
                         "generated data; `null` unless all ranks have the same"),
    field<phases_of>("phases", "phases with data on all ranks"),
    field<balancing_of>("load_balancing", "load balancing in the run that recorded the data"),
    field<partial_phases_of>("partial_phases",
                             "phases without data from some ranks; not included in `phases`"),
    field<heaviest_objects_of>("heaviest_objects", "heaviest first"),
    field<warnings_of>("warnings",
                       "the findings of [`local-messages` and `object-messages`](lb-data-files.md#checks)"),
};

template <>
inline constexpr std::array fields<StatisticsRecord> = {
    field<&StatisticsRecord::phase>("phase", "ID of the phase"),
    field<&StatisticsRecord::migration_count>("moved_objects",
                                              "number of migrated objects; `null` without load balancing"),
    field<&StatisticsRecord::pre_lb, with_units>(
        "before",
        "statistics before load balancing, by their [name in the file](lb-data-files.md#statistics-file), "
        "such as `Rank_load_raw`"),
    field<after_balancing>("after", "statistics after load balancing; `null` without load balancing"),
};

template <>
inline constexpr std::array fields<StatisticsFileInfo> = {
    field<type_of_file>("type", "`LBStatsfile`"),
    field<&StatisticsFileInfo::phases>("phases"),
};

template <>
inline constexpr std::array fields<NumberedRank> = {
    field<&NumberedRank::number>("rank", "number of the rank"),
    field<&NumberedRank::overview, &RankOverview::load_s>("load_s", "sum of the loads of its objects"),
    field<&NumberedRank::overview, &RankOverview::n_objects>("objects", "number of objects"),
    field<&NumberedRank::overview, &RankOverview::n_migratable>("migratable_objects",
                                                                "number of migratable objects"),
    field<&NumberedRank::overview, &RankOverview::memory_bytes>(
        "memory_bytes",
        "memory as in the [work model](../explanation/work-model.md); `null` (in CSV empty) if no task has "
        "memory data"),
    field<&NumberedRank::overview, &RankOverview::sent_bytes>("sent_bytes", "bytes sent to other ranks"),
    field<&NumberedRank::overview, &RankOverview::sent_messages>("sent_messages",
                                                                 "messages sent to other ranks"),
    field<&NumberedRank::overview, &RankOverview::received_bytes>("received_bytes",
                                                                  "bytes received from other ranks"),
    field<&NumberedRank::overview, &RankOverview::received_messages>("received_messages",
                                                                     "messages received from other ranks"),
};

template <>
inline constexpr std::array fields<RankInfo> = {
    field<rank_count>("ranks", "number of ranks"),
    field<&RankInfo::phase>("phase", "phase that is shown"),
    field<numbered_ranks>("per_rank", "the ranks in their order"),
};

template <>
const Structure& structure<DataSetInfo>() {
  return structure_of<DataSetInfo>;
}

template <>
const Structure& structure<StatisticsFileInfo>() {
  return structure_of<StatisticsFileInfo>;
}

template <>
const Structure& structure<RankInfo>() {
  return structure_of<RankInfo>;
}

}  // namespace plimsoll::documents
