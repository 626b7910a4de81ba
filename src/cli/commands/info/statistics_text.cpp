#include "cli/commands/info/statistics_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using Align = support::TextTable::Align;
using lbdata::RecordedStatistics;
using lbdata::StatisticsRecord;

// The schema requires these statistics in each phase.
const RecordedStatistics& rank_loads(const lbdata::RecordedStatisticsByName& block) {
  return block.at("Rank_load_raw");
}
const RecordedStatistics& object_loads(const lbdata::RecordedStatisticsByName& block) {
  return block.at("Object_load_raw");
}

double lost_time_s(const StatisticsRecord& phase) {
  return rank_loads(phase.pre_lb).maximum - rank_loads(phase.pre_lb).average;
}

std::string phases_table(std::span<const StatisticsRecord> phases) {
  const bool balanced =
      std::ranges::any_of(phases, [](const auto& phase) { return phase.post_lb.has_value(); });
  std::vector<support::TextTable::Column> columns = {{"phase", Align::right},
                                                     {"objects", Align::right},
                                                     {"max load", Align::right},
                                                     {"mean load", Align::right},
                                                     {"imbalance", Align::right}};
  if (balanced)
    for (const char* heading : {"max load after", "imbalance after", "migrated"})
      columns.push_back({heading, Align::right});
  support::TextTable table(columns);
  for (const StatisticsRecord& phase : phases) {
    const RecordedStatistics& before = rank_loads(phase.pre_lb);
    std::vector<std::string> row = {
        std::to_string(phase.phase), support::format_number(object_loads(phase.pre_lb).count),
        support::format_seconds(before.maximum), support::format_seconds(before.average),
        imbalance_text(before.imbalance)};
    if (phase.post_lb) {
      const RecordedStatistics& after = rank_loads(*phase.post_lb);
      row.push_back(support::format_seconds(after.maximum));
      row.push_back(imbalance_text(after.imbalance));
      row.push_back(phase.migration_count ? std::to_string(*phase.migration_count) : "");
    }
    table.add_row(std::move(row));
  }
  return table.to_string();
}

std::string block_table(const lbdata::RecordedStatisticsByName& block) {
  support::TextTable table({{"statistics of"},
                            {"number", Align::right},
                            {"sum", Align::right},
                            {"mean", Align::right},
                            {"std deviation", Align::right},
                            {"min", Align::right},
                            {"max", Align::right},
                            {"imbalance", Align::right},
                            {"skewness", Align::right},
                            {"excess kurtosis", Align::right}});
  for (const auto& [name, statistics] : block) {
    const auto value = [bytes = documents::is_in_bytes(name)](double number) {
      return bytes ? bytes_text(number) : support::format_seconds(number);
    };
    table.add_row({name, support::format_number(statistics.count), value(statistics.sum),
                   value(statistics.average), value(statistics.standard_deviation), value(statistics.minimum),
                   value(statistics.maximum), imbalance_text(statistics.imbalance),
                   support::format_number(statistics.skewness), support::format_number(statistics.kurtosis)});
  }
  return table.to_string();
}

}  // namespace

std::string statistics_text(std::span<const StatisticsRecord> phases, const Terminal& terminal) {
  const auto balanced =
      std::ranges::count_if(phases, [](const auto& phase) { return phase.post_lb.has_value(); });
  std::string output = fmt::format("LBStatsfile: {}, {} balanced\n\n", count(phases.size(), "phase"),
                                   balanced == 0 ? "none" : count(balanced));
  output += phases_table(phases);
  const StatisticsRecord& worst = *std::ranges::max_element(phases, {}, lost_time_s);
  output += fmt::format("\nPhase {}{}\n", worst.phase, worst.post_lb ? " before load balancing" : "") +
            block_table(worst.pre_lb);
  if (worst.post_lb)
    output += fmt::format("\nPhase {} after load balancing\n", worst.phase) + block_table(*worst.post_lb);
  const RecordedStatistics& loads = rank_loads(worst.pre_lb);
  return output + fmt::format(
                      "\nPhase {} loses the most time: its imbalance (max/mean - 1) is {} (max {}, "
                      "mean {} per rank).\n",
                      worst.phase, terminal.paint(Colour::bold, imbalance_text(loads.imbalance)),
                      support::format_seconds(loads.maximum), support::format_seconds(loads.average));
}

}  // namespace plimsoll::cli
