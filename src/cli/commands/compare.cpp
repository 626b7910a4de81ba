#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/comparison.hpp>
#include <plimsoll/balance/strategy_spec.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/load_model_option.hpp"
#include "cli/options/parameter_option.hpp"
#include "cli/options/phase_options.hpp"
#include "cli/terminal/placement_json.hpp"
#include "cli/terminal/terminal_progress.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::inline v0_1::cli {

namespace {

using Align = support::TextTable::Align;

struct CompareOptions {
  InputOptions input;
  balance::PhaseRequest request;
  std::string strategies;
  balance::ParameterMap parameters;
  bool json = false;
};

constexpr const char* compare_examples =
    R"(  plimsoll compare data                                    all strategies on the last phase
  plimsoll compare data --strategies GreedyLB,RefineLB --phase 7
  plimsoll compare data --strategies 'RefineLB(tolerance=1.01),RefineLB(tolerance=1.05)'
  plimsoll compare data --strategies RefineLB,./libFooLB.so --param max_moves=100
  plimsoll compare data --load-model 'LinearModel(length=5)'  use predicted loads
  plimsoll compare data --json | jq '.strategies[] | select(.non_dominated).strategy')";

/// Returns whether the data contain the sizes of migrated objects.
bool knows_sizes(const balance::LDStats& stats) {
  return std::ranges::any_of(stats.memory,
                             [](const balance::ObjMemory& memory) { return memory.migration_bytes() > 0; });
}

std::vector<std::string> cells(const balance::Quality& quality, const balance::Bound& bound,
                               const balance::LDStats& stats, bool with_sizes) {
  const double moved = stats.n_objs() > 0 ? static_cast<double>(quality.n_moved) / stats.n_objs() : 0;
  return {imbalance_text(quality.imbalance + 1),
          bound.time_s > 0 ? support::format_difference(balance::above_bound(quality, bound), 2) : "-",
          support::format_seconds(quality.work.max),
          bytes_text(quality.off_rank_bytes),
          fmt::format("{} ({})", count(quality.n_moved), support::format_percentage(moved)),
          with_sizes ? bytes_text(quality.moved_bytes) : "-"};
}

std::string text(const balance::Comparison& comparison, const std::vector<balance::StrategySpec>& specs,
                 const balance::DatasetPhase& phase, const std::string& load_model,
                 const Terminal& terminal) {
  std::string output = fmt::format(
      "Phase {}: {}, {}. No placement can take less than {} ({}).\n", phase.phase,
      count(phase.stats.count(), "rank"), count(phase.stats.n_objs(), "object"),
      support::format_seconds(comparison.bound.time_s), balance::to_string(comparison.bound.cause));
  output += load_model_line(load_model) + "\n";
  support::TextTable table({{""},
                            {"strategy"},
                            {"max/mean", Align::right},
                            {"above bound", Align::right},
                            {"max work", Align::right},
                            {"off-rank data", Align::right},
                            {"objects moved", Align::right},
                            {"data moved", Align::right},
                            {"decision", Align::right}});
  const bool with_sizes = knows_sizes(phase.stats);
  const auto add_row = [&](const std::string& mark, const std::string& name, const balance::Quality& quality,
                           const std::string& decision) {
    std::vector<std::string> row = cells(quality, comparison.bound, phase.stats, with_sizes);
    row.insert(row.begin(), {mark, name});
    row.push_back(decision);
    table.add_row(std::move(row));
  };
  add_row("", "(as recorded)", comparison.start, "");
  table.add_rule();
  std::string notes;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    const balance::StrategyResult& result = comparison.results[k];
    const std::string label = to_string(specs[k]);
    if (!result.failure.empty()) {
      notes += fmt::format("{} failed: {}\n", label, result.failure);
      continue;
    }
    add_row(result.non_dominated ? "*" : "",
            result.non_dominated ? terminal.paint(Colour::bold, label) : label, result.quality,
            support::format_seconds(result.decision_s));
    for (const balance::Remark& remark : result.remarks) notes += fmt::format("{}: {}\n", label, remark.text);
  }
  output += table.to_string();
  output +=
      "\n* Pareto-optimal in max/mean, max work, off-rank data, objects and data moved: no other result is "
      "at least as good in all and better in one\n";
  return output + (notes.empty() ? "" : "\n" + notes);
}

std::string json_text(const balance::Comparison& comparison, const balance::DatasetPhase& phase,
                      const std::string& load_model) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("phase", phase.phase)
      .member("load_model", load_model)
      .member("ranks", phase.stats.count())
      .member("objects", phase.stats.n_objs())
      .member("lower_bound_s", comparison.bound.time_s)
      .member("lower_bound_cause", balance::to_string(comparison.bound.cause));
  json.key("start").begin_object();
  write_quality(json, comparison.start);
  json.member("above_bound", balance::above_bound(comparison.start, comparison.bound)).end_object();
  json.key("strategies").begin_array();
  for (const balance::StrategyResult& result : comparison.results) {
    write_strategy(json.begin_object(), result);
    if (result.failure.empty()) {
      write_quality(json, result.quality);
      write_moves(json, result.quality);
      json.member("above_bound", balance::above_bound(result.quality, comparison.bound))
          .member("strategy_time_s", result.decision_s)
          .member("non_dominated", result.non_dominated);
      write_remarks(json, result);
    } else {
      json.member("failure", result.failure);
    }
    json.end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

}  // namespace

Command define_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  app.footer(compare_examples);
  add_input_options(app, options->input);
  app.add_option(
         "--strategies", options->strategies,
         "Names separated by commas, with optional parameters\nin parentheses [default: all strategies]")
      ->option_text("LIST");
  add_parameter_option(app, options->parameters,
                       "Parameter of all strategies that accept it;\nmay be repeated");
  add_phase_options(app, options->request);
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    const std::vector<balance::StrategySpec> specs =
        options->strategies.empty() ? balance::all_strategies()
                                    : balance::StrategySpec::parse_list(options->strategies);
    const auto strategies = balance::make_strategies(specs, options->parameters, options->request.work);
    const lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    TerminalProgress progress(terminal);
    const auto [phase, comparison] = balance::compare(dataset, strategies, options->request, progress);
    const std::string& load_model = options->request.load_model;
    terminal.print(options->json ? json_text(comparison, phase, load_model)
                                 : text(comparison, specs, phase, load_model, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
