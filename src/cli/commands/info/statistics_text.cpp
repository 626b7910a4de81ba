#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/info/info_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

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
  const auto seconds = [](double RecordedStatistics::*time_s) {
    return [=](const auto& phase) { return support::format_seconds(rank_loads(phase.pre_lb).*time_s); };
  };
  const auto after = [](double RecordedStatistics::*value, const auto& format) {
    return [=](const StatisticsRecord& phase) {
      return phase.post_lb ? format(rank_loads(*phase.post_lb).*value) : "";
    };
  };
  return table_of<StatisticsRecord>(
      phases,
      {{"phase", Align::right, [](const auto& phase) { return std::to_string(phase.phase); }},
       {"objects", Align::right,
        [](const auto& phase) { return support::format_number(object_loads(phase.pre_lb).count); }},
       {"max load", Align::right, seconds(&RecordedStatistics::maximum)},
       {"mean load", Align::right, seconds(&RecordedStatistics::average)},
       {"imbalance", Align::right,
        [](const auto& phase) { return imbalance_text(rank_loads(phase.pre_lb).imbalance); }},
       {"max load after", Align::right, after(&RecordedStatistics::maximum, support::format_seconds),
        balanced},
       {"imbalance after", Align::right, after(&RecordedStatistics::imbalance, imbalance_text), balanced},
       {"migrated", Align::right,
        [](const auto& phase) {
          return phase.post_lb && phase.migration_count ? std::to_string(*phase.migration_count) : "";
        },
        balanced}});
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
  return table.to_string(Terminal::width());
}

/// Returns how often nothing migrated for which reason, with the last sentence for each.
std::string reasons_text(std::span<const StatisticsRecord> phases) {
  struct Reason {
    std::int64_t n_phases = 0;
    const StatisticsRecord* last = nullptr;
  };
  std::map<std::string, Reason> reasons;
  for (const StatisticsRecord& phase : phases) {
    if (!phase.not_balanced) continue;
    Reason& reason = reasons[phase.not_balanced->reason];
    ++reason.n_phases;
    reason.last = &phase;
  }
  std::string text;
  for (const auto& [name, reason] : reasons)
    text += fmt::format("\nNot balanced after {} ({}); after phase {}: {}.", count(reason.n_phases, "phase"),
                        support::printable(name), reason.last->phase,
                        support::printable(reason.last->not_balanced->text));
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string statistics_text(std::span<const StatisticsRecord> phases, const Terminal& terminal) {
  const auto balanced =
      std::ranges::count_if(phases, [](const auto& phase) { return phase.post_lb.has_value(); });
  std::string output = fmt::format("LBStatsfile: {}, {} balanced\n\n", count(phases.size(), "phase"),
                                   balanced == 0 ? "none" : count(balanced));
  output += phases_table(phases) + reasons_text(phases);
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
