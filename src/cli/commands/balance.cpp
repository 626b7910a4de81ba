#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/comparison.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/load_model_option.hpp"
#include "cli/options/output_options.hpp"
#include "cli/options/phase_options.hpp"
#include "cli/options/work_option.hpp"
#include "cli/terminal/placement_json.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::cli {

namespace {

using Align = support::TextTable::Align;

struct BalanceOptions {
  InputOptions input;
  std::string strategy;
  std::vector<std::string> parameters;
  PhaseOptions phase;
  std::vector<double> work;
  OutputOptions output;
  bool offline_lb = false;
  bool json = false;
};

constexpr const char* examples =
    R"(  plimsoll balance data --strategy GreedyLB               what would it gain in the last phase?
  plimsoll balance data --strategy GreedyLB -o balanced   ... and write the data set that results
  plimsoll balance data --strategy RefineLB --param tolerance=1.02 --phase 7
  plimsoll balance data --strategy RefineLB --load-model 'PersistenceMedianLastN(n=5)'
  plimsoll balance data --strategy RefineLB --offline-lb -o plan   for vt's OfflineLB
  plimsoll balance data --strategy ./libFooLB.so          a strategy of your own
  plimsoll strategies                                     which strategies and parameters there are
  plimsoll models                                         which load models there are)";

/// What a strategy did to a phase.
struct Outcome {
  const balance::DatasetPhase& phase;
  std::string load_model;
  bool weighs_work;  ///< by coefficients of the user
  balance::Bound bound;
  balance::PlacementQuality before;
  balance::StrategyResult result;
};

std::string above_bound(double time_s, const balance::Bound& bound) {
  return bound.time_s > 0 ? fmt::format("{:+.1f} %", 100 * (time_s / bound.time_s - 1)) : "-";
}

std::string text(const Outcome& outcome, const std::string& folder, const Terminal& terminal) {
  const balance::LDStats& stats = outcome.phase.stats;
  const balance::StrategyResult& result = outcome.result;
  const balance::PlacementSummary& moves = result.quality.summary;
  std::string output = fmt::format("{} on phase {}: {}, {}\n", result.strategy, outcome.phase.phase,
                                   count(stats.count(), "rank"), count(stats.n_objs(), "object"));
  output += load_model_line(outcome.load_model) + "\n";
  support::TextTable table({{""}, {"before", Align::right}, {"after", Align::right}});
  const auto add_row = [&](const char* name, const auto& cell) {
    table.add_row({name, cell(outcome.before), cell(result.quality)});
  };
  using Quality = balance::PlacementQuality;
  add_row("max load", [](const Quality& q) { return support::format_seconds(q.summary.max_time_s); });
  add_row("mean load", [](const Quality& q) { return support::format_seconds(q.summary.mean_time_s); });
  table.add_row({"imbalance", imbalance_text(outcome.before.summary.imbalance),
                 terminal.paint(Colour::bold, imbalance_text(moves.imbalance))});
  add_row("max load above lower bound",
          [&](const Quality& q) { return above_bound(q.summary.max_time_s, outcome.bound); });
  if (outcome.weighs_work)
    add_row("max work", [](const Quality& q) { return support::format_seconds(q.work.max); });
  add_row("off-rank data", [](const Quality& q) { return bytes_text(q.off_rank_bytes); });
  add_row("off-rank messages", [](const Quality& q) { return count(q.off_rank_messages); });
  output += table.to_string();
  output +=
      fmt::format("\nNo placement can take less than {} ({}).\n",
                  support::format_seconds(outcome.bound.time_s), balance::to_string(outcome.bound.cause));
  const double total_load_s = moves.mean_time_s * stats.count();
  output += fmt::format("{} moved {} with {} of load ({} of all) in {}.\n", result.strategy,
                        count(moves.n_moved, "object"), support::format_seconds(moves.moved_load_s),
                        support::format_percentage(total_load_s > 0 ? moves.moved_load_s / total_load_s : 0),
                        support::format_seconds(result.decision_s));
  for (const balance::Remark& remark : result.remarks) output += remark.text + '\n';
  if (!folder.empty()) output += fmt::format("The result is in {}.\n", folder);
  return output;
}

std::string json_text(const Outcome& outcome, const std::string& folder) {
  std::string text;
  support::JsonWriter json(text);
  write_strategy(json.begin_object(), outcome.result);
  json.member("load_model", outcome.load_model)
      .member("phase", outcome.phase.phase)
      .member("ranks", outcome.phase.stats.count())
      .member("objects", outcome.phase.stats.n_objs())
      .member("lower_bound_s", outcome.bound.time_s)
      .member("lower_bound_cause", balance::to_string(outcome.bound.cause));
  write_quality(json.key("before").begin_object(), outcome.before);
  write_quality(json.end_object().key("after").begin_object(), outcome.result.quality);
  json.end_object();
  write_moves(json, outcome.result.quality.summary);
  json.member("strategy_time_s", outcome.result.decision_s);
  write_remarks(json, outcome.result);
  json.key("output");
  folder.empty() ? json.null() : json.value(folder);
  json.end_object();
  return text + '\n';
}

}  // namespace

Command define_balance(CLI::App& app) {
  auto options = std::make_shared<BalanceOptions>();
  app.footer(examples);
  add_input_options(app, options->input);
  app.add_option("--strategy", options->strategy,
                 "Name of the strategy (see plimsoll strategies),\nor path of a plug-in")
      ->required()
      ->option_text("NAME");
  app.add_option("--param", options->parameters, "A parameter of the strategy; may be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  add_phase_options(app, options->phase);
  add_work_option(app, options->work);
  CLI::Option* output = add_output_options(app, options->output);
  app.add_flag(
         "--offline-lb", options->offline_lb,
         "Write what vt's OfflineLB reads: the phase as it was, and\nthe new placement as the phase after it")
      ->needs(output);
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    // What can be wrong with the options is told before a long read.
    balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
    const std::string name = registry.resolve(options->strategy);
    balance::ParameterMap parameters = parameter_map(options->parameters);
    give_work_parameters(options->work, registry.info(name), parameters);
    const auto strategy = registry.create(name, parameters);
    const balance::WorkCoefficients work =
        work_coefficients(options->work).value_or(balance::WorkCoefficients());
    options->phase.columns.memory = wants_memory(options->work);
    check_output(options->output);

    lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    need_columns(options->phase, registry.info(name), *strategy);
    balance::DatasetPhase phase = load_phase(dataset, options->phase);
    const Outcome outcome{.phase = phase,
                          .load_model = options->phase.load_model->text(),
                          .weighs_work = !options->work.empty(),
                          .bound = balance::lower_bound(phase.stats),
                          .before = balance::assess(phase.stats, phase.stats.from_proc, work),
                          .result = balance::run(*strategy, phase.stats, work)};
    if (!options->output.folder.empty()) {
      const std::vector<std::int32_t>& to_proc = phase.stats.to_proc;
      write_output(options->offline_lb ? balance::offline_lb_dataset(dataset, phase, to_proc)
                                       : balance::apply_placement(std::move(dataset), phase, to_proc),
                   options->output, options->input.threads, terminal);
    }
    const std::string& folder = options->output.folder;
    terminal.print(options->json ? json_text(outcome, folder) : text(outcome, folder, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
