#include <cmath>
#include <cstdint>
#include <string>

#include "cli/commands/info/statistics_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

// Files contain counts as fractions, such as 4.0.
void write_count(support::JsonWriter& json, const char* name, double number) {
  constexpr double bound = 9007199254740992.0;  // 2^53: below it, doubles represent all integers
  if (number == std::trunc(number) && std::abs(number) < bound)
    json.member(name, static_cast<std::int64_t>(number));
  else
    json.member(name, number);
}

void write_block(support::JsonWriter& json, const lbdata::RecordedStatisticsByName& block) {
  json.begin_object();
  for (const auto& [name, statistics] : block) {
    json.key(name).begin_object();
    write_statistics(json, statistics, is_in_bytes(name) ? "bytes" : "s");
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_statistics(support::JsonWriter& json, const lbdata::RecordedStatistics& statistics,
                      const std::string& unit) {
  write_count(json, "count", statistics.count);
  write_count(json, "nonzero_count", statistics.nonzero_count);
  json.member("sum_" + unit, statistics.sum)
      .member("mean_" + unit, statistics.average)
      .member("min_" + unit, statistics.minimum)
      .member("max_" + unit, statistics.maximum)
      .member("imbalance", statistics.imbalance)
      .member("std_deviation_" + unit, statistics.standard_deviation)
      .member("variance_" + unit + "2", statistics.variance)
      .member("skewness", statistics.skewness)
      .member("excess_kurtosis", statistics.kurtosis);
}

std::string statistics_json(std::span<const lbdata::StatisticsRecord> phases) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().member("type", "LBStatsfile").key("phases").begin_array();
  for (const lbdata::StatisticsRecord& phase : phases) {
    json.begin_object().member("phase", phase.phase).member("moved_objects", phase.migration_count);
    write_block(json.key("before"), phase.pre_lb);
    json.key("after");
    if (phase.post_lb)
      write_block(json, *phase.post_lb);
    else
      json.null();
    json.end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

}  // namespace plimsoll::cli
