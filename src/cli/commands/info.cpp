#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/work_option.hpp"
#include "cli/terminal/terminal_progress.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::inline v0_1::cli {

namespace {

using Align = support::TextTable::Align;

struct InfoOptions {
  InputOptions input;
  std::string phases;
  std::optional<balance::WorkCoefficients> work;
  bool memory = false;
  bool json = false;
};

constexpr const char* info_examples =
    R"(  plimsoll info data                        show how evenly the work is distributed
  plimsoll info data --phases 0-10,20,%50   phases 0 to 10, 20 and every 50th
  plimsoll info data --work 1,1e-8,0        work = 1 x load + 1e-8 s/B x traffic + 0 s
  plimsoll info data --work 1,1e-8,0,1e-9   ... + 1e-9 s/B x off-home shared-block bytes
  plimsoll info data --json | jq '.phases[].imbalance')";

std::string phase_table(const std::vector<balance::PhaseOverview>& phases, bool with_work) {
  std::vector<support::TextTable::Column> columns = {
      {"phase", Align::right},       {"objects", Align::right},      {"edges", Align::right},
      {"max load", Align::right},    {"mean load", Align::right},    {"imbalance", Align::right},
      {"lower bound", Align::right}, {"off-rank data", Align::right}};
  if (with_work) {
    columns.push_back({"work sum", Align::right});
    columns.push_back({"work imbalance", Align::right});
  }
  const bool with_memory = std::ranges::any_of(
      phases, [](const balance::PhaseOverview& phase) { return phase.max_memory_bytes() > 0; });
  if (with_memory) columns.push_back({"max memory", Align::right});
  support::TextTable table(columns);
  for (const balance::PhaseOverview& phase : phases) {
    std::vector<std::string> row = {std::to_string(phase.phase),
                                    count(phase.n_objects),
                                    count(phase.n_edges),
                                    support::format_seconds(phase.quality.max_time_s),
                                    support::format_seconds(phase.quality.mean_time_s),
                                    imbalance_text(phase.quality.imbalance),
                                    support::format_seconds(phase.bound.time_s),
                                    bytes_text(phase.quality.off_rank_bytes)};
    if (with_work) {
      row.push_back(support::format_seconds(phase.quality.work.sum));
      row.push_back(imbalance_text(phase.quality.work.imbalance));
    }
    if (with_memory) row.push_back(bytes_text(phase.max_memory_bytes()));
    table.add_row(std::move(row));
  }
  return table.to_string();
}

// Members of an entity that identify the object for users.
struct ObjectName {
  std::string number;
  std::string collection;
  std::string index;
};

ObjectName name_of(const lbdata::EntityTable& entities, lbdata::EntityIndex entity) {
  const lbdata::EntityFamily& family = entities.family(entity);
  ObjectName name{.number = to_string(entities.number(entity))};
  if (family.has_collection_id) name.collection = to_string(family.collection_id);
  if (family.has_index) {
    const lbdata::IndexTuple index = entities.index(entity);
    for (std::size_t k = 0; k < index.size(); ++k)
      name.index += fmt::format("{}{}", k == 0 ? "" : ",", index[k]);
  }
  return name;
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
    ObjectName name = name_of(dataset.entities, object.entity);
    table.add_row({std::move(name.number), std::move(name.collection), std::move(name.index),
                   std::to_string(object.rank), std::to_string(object.phase),
                   support::format_seconds(object.load_s),
                   dataset.entities.migratable(object.entity) ? "" : "sentinel"});
  }
  return table.to_string();
}

// Returns the last lines, which summarise the table.
std::string verdict(const balance::PhaseOverview& worst, bool several, const Terminal& terminal) {
  std::string text = several ? fmt::format("Phase {} loses the most time: its imbalance is ", worst.phase)
                             : "The imbalance is ";
  text += terminal.paint(Colour::bold, imbalance_text(worst.quality.imbalance));
  text += fmt::format(" (max {}, mean {} per rank).\n", support::format_seconds(worst.quality.max_time_s),
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

std::string text(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview, bool with_work,
                 const Terminal& terminal) {
  const std::vector<balance::PhaseOverview>& phases = overview.phases;
  const bool several = phases.size() > 1;
  std::string output = fmt::format("{}, {}, {}{} ({} migratable)\n\n", count(dataset.ranks.size(), "rank"),
                                   count(phases.size(), "phase"), several ? "up to " : "",
                                   count(overview.max_objects(), "object"), count(overview.max_migratable()));
  output += phase_table(phases, with_work);
  if (!overview.heaviest.empty()) output += "\nHeaviest objects\n" + object_table(dataset, overview);
  if (phases.size() > 2) output += "\n" + chart(phases, terminal);
  return output + "\n" + verdict(*overview.worst_phase(), several, terminal);
}

void write_json(support::JsonWriter& json, const balance::PhaseOverview& phase, bool with_work) {
  json.begin_object()
      .member("phase", phase.phase)
      .member("objects", phase.n_objects)
      .member("migratable_objects", phase.n_migratable)
      .member("edges", phase.n_edges)
      .member("max_load_s", phase.quality.max_time_s)
      .member("mean_load_s", phase.quality.mean_time_s)
      .member("imbalance", phase.quality.imbalance)
      .member("lower_bound_s", phase.bound.time_s)
      .member("lower_bound_cause", balance::to_string(phase.bound.cause))
      .member("off_rank_bytes", phase.quality.off_rank_bytes)
      .member("off_rank_messages", phase.quality.off_rank_messages);
  if (with_work) {
    json.member("work_sum_s", phase.quality.work.sum)
        .member("work_max_s", phase.quality.work.max)
        .member("work_imbalance", phase.quality.work.imbalance);
    if (!phase.quality.work.memory_bytes.empty()) {
      json.member("max_memory_bytes", phase.max_memory_bytes())
          .member("max_node_memory_bytes", std::ranges::max(phase.quality.work.node_memory_bytes));
    }
  }
  json.end_object();
}

std::string json_text(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview,
                      bool with_work) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().member("ranks", dataset.ranks.size()).key("phases").begin_array();
  for (const balance::PhaseOverview& phase : overview.phases) write_json(json, phase, with_work);
  json.end_array()
      .key("partial_phases")
      .values(overview.partial_phases)
      .key("heaviest_objects")
      .begin_array();
  for (const balance::HeavyObject& object : overview.heaviest) {
    json.begin_object()
        .key("object")
        .raw(name_of(dataset.entities, object.entity).number)
        .member("rank", object.rank)
        .member("phase", object.phase)
        .member("load_s", object.load_s)
        .member("migratable", dataset.entities.migratable(object.entity))
        .end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

void show_partial_phases(const std::vector<std::int64_t>& phases, const Terminal& terminal) {
  if (phases.empty()) return;
  const Diagnostic warning{.what = fmt::format("{} skipped because some ranks have no data: {}",
                                               count(phases.size(), "phase"), fmt::join(phases, ", "))};
  terminal.show_warnings(std::span(&warning, 1));
}

Error no_phases(const std::string& selection) {
  if (selection.empty()) return support::bad_input("no phase has data on all ranks");
  return support::usage_error(fmt::format("no phase in {} has data on all ranks", selection),
                              "use plimsoll info without --phases to list the complete phases");
}

}  // namespace

Command define_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  app.footer(info_examples);
  add_input_options(app, options->input);
  app.add_option("--phases", options->phases, "Phases to analyse, e.g. 0-10,20,%50 [default: all]")
      ->option_text("LIST");
  add_work_option(app, options->work, options->memory);
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    const auto selection = options->phases.empty() ? lbdata::PhaseSelection::all()
                                                   : lbdata::PhaseSelection::parse(options->phases);
    const lbdata::Dataset dataset = read_input(options->input, selection, terminal);
    TerminalProgress progress(terminal);
    const balance::DatasetOverview overview = balance::overview(dataset, {.work = options->work,
                                                                          .memory = options->memory,
                                                                          .phases = selection,
                                                                          .threads = options->input.threads,
                                                                          .progress = &progress});
    show_partial_phases(overview.partial_phases, terminal);
    if (overview.phases.empty()) throw no_phases(options->phases);
    const bool with_work = options->work.has_value();
    terminal.print(options->json ? json_text(dataset, overview, with_work)
                                 : text(dataset, overview, with_work, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
