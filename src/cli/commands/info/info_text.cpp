#include "cli/commands/info/info_text.hpp"

#include <fmt/ranges.h>

#include <iterator>
#include <numeric>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

std::string phase_table(const balance::DatasetOverview& overview, bool with_work) {
  using balance::PhaseOverview;
  const std::vector<PhaseOverview>& phases = overview.phases;
  const auto seconds = [](double balance::Quality::*time_s) {
    return [=](const PhaseOverview& phase) { return support::format_seconds(phase.quality.*time_s); };
  };
  const auto work_sum = [](const auto& phase) { return support::format_seconds(phase.quality.work.sum); };
  return table_of<PhaseOverview>(
      phases,
      {{"phase", Align::right, [](const auto& phase) { return std::to_string(phase.phase); }},
       {"objects", Align::right, [](const auto& phase) { return count(phase.n_objects); }},
       {"edges", Align::right, [](const auto& phase) { return count(phase.n_edges); }},
       {overview.synchronised ? "time" : "max load", Align::right, seconds(&balance::Quality::max_time_s)},
       {"mean load", Align::right, seconds(&balance::Quality::mean_time_s)},
       {with_work ? "load imbalance" : "imbalance", Align::right,
        [](const auto& phase) { return imbalance_text(phase.quality.imbalance); }},
       {with_work ? "load bound" : "lower bound", Align::right,
        [](const auto& phase) { return support::format_seconds(phase.bound.time_s); }},
       {"off-rank data", Align::right,
        [](const auto& phase) { return bytes_text(phase.quality.off_rank_bytes); }},
       {"work sum", Align::right, work_sum, with_work},
       {"work imbalance", Align::right,
        [](const auto& phase) { return imbalance_text(phase.quality.work.imbalance); }, with_work},
       {"max memory", Align::right, [](const auto& phase) { return bytes_text(phase.max_memory_bytes()); },
        std::ranges::any_of(phases, [](const auto& phase) { return phase.max_memory_bytes() > 0; })}});
}

std::string balancing_line(const balance::RecordedBalancing& balancing, std::size_t n_phases) {
  return fmt::format("load balancing: {} after {} of {}, {}\n",
                     support::printable(fmt::format("{}", fmt::join(balancing.strategies, ", "))),
                     count(balancing.n_phases), count(n_phases, "phase"),
                     count(balancing.n_migrations, "migration"));
}

std::string object_table(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview) {
  support::TextTable table({{"object", Align::right},
                            {"collection", Align::right},
                            {"index", Align::right},
                            {"rank", Align::right},
                            {"phase", Align::right},
                            {"load", Align::right},
                            {""}});
  for (const balance::HeavyObject& object : overview.heaviest) {
    lbdata::ObjectName name = name_of(dataset.entities, object.entity);
    table.add_row({std::move(name.number), std::move(name.collection), std::move(name.index),
                   std::to_string(object.rank), std::to_string(object.phase),
                   support::format_seconds(object.load_s),
                   dataset.entities.migratable(object.entity) ? "" : "sentinel"});
  }
  return table.to_string(Terminal::width());
}

// Returns the costs with their errors, and the remarks.
std::string cost_table(const balance::InferredCosts& inferred) {
  support::TextTable table({{"feature"}, {"cost", Align::right}, {"standard error", Align::right}});
  for (const balance::FeatureCost& cost : inferred.costs)
    table.add_row({support::printable(cost.feature), support::format_seconds(cost.cost_s),
                   support::format_seconds(cost.error_s)});
  std::string text = table.to_string(Terminal::width());
  for (const std::string& remark : inferred.remarks) text += support::printable(remark) + "\n";
  return text;
}

// Returns a line on the phase for which it matters most whether the ranks synchronise after each subphase;
// empty if it matters nowhere.
std::string synchronisation_line(const balance::DatasetOverview& overview) {
  const balance::PhaseOverview* const phase = overview.most_synchronised_phase();
  if (phase == nullptr) return "";
  std::string line =
      fmt::format("Phase {} takes {} if the ranks synchronise after each of {}, and {} if they do not; ",
                  phase->phase, support::format_seconds(phase->synchronised_time_s),
                  count(phase->n_subphases, "subphase"), support::format_seconds(phase->free_time_s));
  line += overview.synchronised ? "these results assume that they do.\n"
                                : "these results assume that they do not (use --subphases synchronised).\n";
  const double outside = phase->outside_subphases_s / phase->object_loads.statistics.sum();
  if (outside > 0.01)
    line += fmt::format("Of its load, {} belongs to no subphase and counts as one more subphase.\n",
                        support::format_percentage(outside));
  return line;
}

// Returns the last lines, which summarise the table.
std::string verdict(const balance::PhaseOverview& worst, bool several, bool synchronised,
                    const Terminal& terminal) {
  std::string text = several ? fmt::format("Phase {} loses the most time: its imbalance is ", worst.phase)
                             : "The imbalance is ";
  text += terminal.paint(Colour::bold, imbalance_text(worst.quality.imbalance));
  text += fmt::format(" ({} {}, mean {} per rank).\n", synchronised ? "time" : "max",
                      support::format_seconds(worst.quality.max_time_s),
                      support::format_seconds(worst.quality.mean_time_s));
  text += fmt::format("No placement can take less than {} ({})", support::format_seconds(worst.bound.time_s),
                      balance::to_string(worst.bound.cause));
  const double gain = worst.possible_speedup();
  return text + (gain < 1.005 ? ": the initial placement is within 0.5 % of this bound.\n"
                              : fmt::format(": a better placement is at most {:.2f} times as fast.\n", gain));
}

std::string chart(const std::vector<balance::PhaseOverview>& phases, const Terminal& terminal) {
  std::vector<double> imbalances;
  imbalances.reserve(phases.size());
  for (const balance::PhaseOverview& phase : phases) imbalances.push_back(phase.quality.imbalance);
  return drawing::column_chart(imbalances, {.width = std::clamp<std::size_t>(terminal.width(), 30, 80) - 10,
                                            .height = 6,
                                            .ascii = !terminal.utf8(),
                                            .title = "Imbalance over phases",
                                            .x_first = std::to_string(phases.front().phase),
                                            .x_last = std::to_string(phases.back().phase)});
}

std::vector<double> loads_of_ranks(const lbdata::Dataset& dataset, std::int64_t phase) {
  const balance::LDStats stats = balance::load_phase(dataset, phase, {.loads_only = true}).stats;
  return balance::finish_times(stats, stats.from_proc);
}

std::string distribution_table(const balance::PhaseOverview& phase) {
  support::TextTable table({{""}, {"ranks", Align::right}, {"objects", Align::right}});
  const auto add_row = [&](const char* name, const auto& cell) {
    table.add_row({name, cell(phase.rank_loads), cell(phase.object_loads)});
  };
  using Loads = balance::LoadDistribution;
  const auto add_time = [&](const char* name, const auto& time_s) {
    add_row(name, [&](const Loads& loads) { return support::format_seconds(time_s(loads)); });
  };
  add_row("number", [](const Loads& loads) { return count(loads.statistics.count()); });
  add_time("sum", [](const Loads& loads) { return loads.statistics.sum(); });
  add_time("mean", [](const Loads& loads) { return loads.statistics.average(); });
  add_time("standard deviation", [](const Loads& loads) { return loads.statistics.standard_deviation(); });
  add_time("minimum", [](const Loads& loads) { return loads.statistics.minimum(); });
  add_time("lower quartile", [](const Loads& loads) { return loads.quartiles.lower; });
  add_time("median", [](const Loads& loads) { return loads.quartiles.median; });
  add_time("upper quartile", [](const Loads& loads) { return loads.quartiles.upper; });
  add_time("maximum", [](const Loads& loads) { return loads.statistics.maximum(); });
  add_row("imbalance (max/mean - 1)",
          [](const Loads& loads) { return imbalance_text(documents::defined_imbalance(loads.statistics)); });
  add_row("skewness", [](const Loads& loads) { return support::format_number(loads.statistics.skewness()); });
  add_row("excess kurtosis",
          [](const Loads& loads) { return support::format_number(loads.statistics.kurtosis()); });
  return table.to_string(Terminal::width());
}

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

using balance::RankOverview;

// If more ranks than max_ranks_shown exist, the text shows only the heaviest ones.
constexpr std::size_t max_ranks_shown = 64;
constexpr std::size_t heaviest_ranks_shown = 32;
constexpr std::size_t part_bytes = std::size_t{1} << 16;

/// Returns the numbers of the ranks that the text shows, in the order of the rows.
std::vector<std::size_t> shown_ranks(std::span<const RankOverview> ranks) {
  std::vector<std::size_t> shown(ranks.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= max_ranks_shown) return shown;
  std::ranges::stable_sort(shown, std::greater<>(), [&](std::size_t rank) { return ranks[rank].load_s; });
  shown.resize(heaviest_ranks_shown);
  return shown;
}

using documents::Field;

/// Returns the value of a field of a rank, as JSON.
std::string value_of(const documents::RankInfo& info, std::size_t rank, const Field& field) {
  const documents::Scope outer = {documents::structure<documents::RankInfo>(), &info};
  return documents::json_of(field, {documents::structure<RankOverview>(), &info.ranks[rank], &outer});
}

std::string heading_of(const Field& field) {
  if (!field.heading.empty()) return std::string(field.heading);
  std::string_view name = field.key;
  for (const std::string_view unit : {"_s", "_bytes"})
    if (name.ends_with(unit)) name.remove_suffix(unit.size());
  std::string heading(name);
  std::ranges::replace(heading, '_', ' ');
  return heading;
}

std::string cell_of(const Field& field, const std::string& json) {
  const auto number = support::parse_number<double>(json);
  if (!number) return "-";
  if (field.key.ends_with("_s")) return support::format_seconds(*number);
  if (field.key.ends_with("_bytes")) return bytes_text(*number);
  const auto whole = support::parse_number<std::int64_t>(json);
  return whole && *whole >= 0 ? count(*whole) : support::format_number(*number);
}

/// Formats a table of the ranks, by the units of their fields. The first field is the rank's number. Omits
/// fields that are null for all ranks.
std::string rank_table(const documents::RankInfo& info) {
  std::vector<std::size_t> ranks(info.ranks.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<Column<std::size_t>> columns = {
      {"rank", Align::right, [](std::size_t rank) { return std::to_string(rank); }}};
  for (const Field& field : documents::structure<RankOverview>().fields.subspan(1)) {
    const bool is_known = ranks.empty() || std::ranges::any_of(ranks, [&](std::size_t rank) {
                            return value_of(info, rank, field) != "null";
                          });
    columns.push_back(
        {heading_of(field), Align::right,
         [&info, &field](std::size_t rank) { return cell_of(field, value_of(info, rank, field)); },
         is_known});
  }
  return table_of<std::size_t>(shown_ranks(info.ranks), std::move(columns));
}

/// Returns a value as CSV: null is empty, and 6.0 becomes 6.
std::string csv_cell_of(const std::string& json) {
  if (json == "null") return "";
  const auto whole = support::parse_number<std::int64_t>(json);
  const auto number = support::parse_number<double>(json);
  return whole || !number ? json : fmt::format("{}", *number);
}

}  // namespace

std::string overview_text(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview,
                          bool with_work, const Terminal& terminal) {
  const std::vector<balance::PhaseOverview>& phases = overview.phases;
  const bool several = phases.size() > 1;
  std::string output = fmt::format("{}, {}, {}{} ({} migratable)\n", count(dataset.ranks.size(), "rank"),
                                   count(phases.size(), "phase"), several ? "up to " : "",
                                   count(overview.max_objects(), "object"), count(overview.max_migratable()));
  if (overview.balancing.n_phases > 0) output += balancing_line(overview.balancing, phases.size());
  output += "\n" + phase_table(overview, with_work);
  const balance::PhaseOverview& worst = *overview.worst_phase();
  output +=
      fmt::format("\nLoads in phase {}{}\n", worst.phase, several ? ", which loses the most time" : "") +
      distribution_table(worst);
  if (!overview.inferred.costs.empty())
    output += "\nInferred costs per feature\n" + cost_table(overview.inferred);
  if (!overview.heaviest.empty()) output += "\nHeaviest objects\n" + object_table(dataset, overview);
  if (terminal.shows_charts()) {
    if (phases.size() > 2)
      output += "\n" + chart(phases, terminal);
    else if (dataset.ranks.size() > 1)
      output += "\n" + rank_load_chart(worst.phase, loads_of_ranks(dataset, worst.phase), terminal);
  }
  return output + "\n" + synchronisation_line(overview) +
         verdict(worst, several, overview.synchronised, terminal);
}

Error no_complete_phases(const std::string& selection, const std::string& path) {
  if (selection.empty()) return support::bad_input("no phase has data on all ranks", path);
  return {ErrorKind::usage,
          {.what = fmt::format("no phase in {} has data on all ranks", selection),
           .file = path,
           .suggestion = "use plimsoll info without --phases to list the complete phases"}};
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

std::string rank_load_chart(std::int64_t phase, std::span<const double> loads_s, const Terminal& terminal) {
  constexpr std::size_t margin = 12;  // for the axis and its labels
  return drawing::column_chart(loads_s, {.width = std::clamp<std::size_t>(terminal.width(), 30, 80) - margin,
                                         .height = 6,
                                         .ascii = !terminal.utf8(),
                                         .title = fmt::format("Load over ranks in phase {}", phase),
                                         .x_first = "0",
                                         .x_last = std::to_string(loads_s.size() - 1),
                                         .y_label = support::format_seconds});
}

std::string rank_text(const documents::RankInfo& info, const Terminal& terminal) {
  const auto& [phase, ranks] = info;
  std::int64_t n_objects = 0;
  std::vector<double> loads_s;
  for (const RankOverview& rank : ranks) {
    n_objects += rank.n_objects;
    loads_s.push_back(rank.load_s);
  }
  std::string output =
      fmt::format("Phase {}: {}, {}\n\n", phase, count(ranks.size(), "rank"), count(n_objects, "object"));
  output += rank_table(info) + "\n";
  if (ranks.size() > max_ranks_shown)
    output += fmt::format("{} of {} ranks, heaviest first; --csv FILE and --json contain all ranks.\n",
                          heaviest_ranks_shown, count(ranks.size()));
  if (ranks.empty()) return output;
  if (terminal.shows_charts() && ranks.size() > 1) output += rank_load_chart(phase, loads_s, terminal) + "\n";
  const auto heaviest = std::ranges::max_element(loads_s);
  const double mean_s =
      std::accumulate(loads_s.begin(), loads_s.end(), 0.0) / static_cast<double>(loads_s.size());
  return output + fmt::format(
                      "Rank {} has the maximum load, {}; the mean is {}, and the imbalance "
                      "(max/mean - 1) is {}.\n",
                      heaviest - loads_s.begin(), support::format_seconds(*heaviest),
                      support::format_seconds(mean_s),
                      terminal.paint(Colour::bold, imbalance_text(balance::imbalance(loads_s))));
}

void write_rank_csv(const documents::RankInfo& info, const TextSink& sink) {
  const std::span<const Field> fields = documents::structure<RankOverview>().fields;
  std::string text = joined(fields, ",", &Field::key) + "\n";
  for (std::size_t rank = 0; rank < info.ranks.size(); ++rank) {
    text += joined(fields, ",", [&](const Field& field) { return csv_cell_of(value_of(info, rank, field)); });
    text += '\n';
    if (text.size() < part_bytes) continue;
    sink(text);
    text.clear();
  }
  sink(text);
}

}  // namespace plimsoll::cli
