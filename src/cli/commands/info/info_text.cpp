#include "cli/commands/info/info_text.hpp"

#include <fmt/ranges.h>

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
  return fmt::format("load balancing: {} after {} of {}, {} after {}\n",
                     support::printable(fmt::format("{}", fmt::join(balancing.strategies, ", "))),
                     count(balancing.n_phases), count(n_phases, "phase"),
                     count(balancing.n_migrations, "migration"), count(balancing.n_migrated_phases));
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

}  // namespace plimsoll::cli
