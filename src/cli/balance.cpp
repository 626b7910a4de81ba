#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands.hpp"
#include "cli/input_options.hpp"
#include "cli/load_model_option.hpp"
#include "cli/output_options.hpp"
#include "cli/phase_options.hpp"
#include "cli/text.hpp"

namespace plimsoll::cli {

namespace {

using Align = support::TextTable::Align;

struct BalanceOptions {
  InputOptions input;
  std::string strategy;
  std::vector<std::string> parameters;
  PhaseOptions phase;
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
  std::string strategy;
  balance::Parameters parameters;
  std::string load_model;
  std::int64_t phase;
  std::size_t ranks;
  std::int32_t objects;
  balance::Bound bound;
  balance::PlacementSummary before;
  balance::PlacementSummary after;
  balance::RankTraffic traffic_before;
  balance::RankTraffic traffic_after;
  double strategy_time_s;
  std::vector<balance::Remark> remarks;
};

Outcome run_strategy(balance::Strategy& strategy, balance::DatasetPhase& phase,
                     const balance::LoadModel& load_model) {
  balance::LDStats& stats = phase.stats;
  const auto begin = std::chrono::steady_clock::now();
  strategy.work(stats);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {.strategy = strategy.name(),
          .parameters = strategy.parameters(),
          .load_model = load_model.text(),
          .phase = phase.phase,
          .ranks = stats.procs.size(),
          .objects = stats.n_objs(),
          .bound = balance::lower_bound(stats),
          .before = balance::summarise(stats, stats.from_proc),
          .after = balance::summarise(stats, stats.to_proc),
          .traffic_before = balance::rank_traffic(stats, stats.from_proc),
          .traffic_after = balance::rank_traffic(stats, stats.to_proc),
          .strategy_time_s = elapsed.count(),
          .remarks = strategy.remarks()};
}

std::string above_bound(double time_s, const balance::Bound& bound) {
  return bound.time_s > 0 ? fmt::format("{:+.1f} %", 100 * (time_s / bound.time_s - 1)) : "-";
}

std::string text(const Outcome& outcome, const std::string& folder, const Terminal& terminal) {
  const balance::PlacementSummary& before = outcome.before;
  const balance::PlacementSummary& after = outcome.after;
  std::string output = fmt::format("{} on phase {}: {}, {}\n", outcome.strategy, outcome.phase,
                                   count(outcome.ranks, "rank"), count(outcome.objects, "object"));
  output += load_model_line(outcome.load_model) + "\n";
  support::TextTable table({{""}, {"before", Align::right}, {"after", Align::right}});
  table.add_row(
      {"max load", support::format_seconds(before.max_time_s), support::format_seconds(after.max_time_s)});
  table.add_row(
      {"mean load", support::format_seconds(before.mean_time_s), support::format_seconds(after.mean_time_s)});
  table.add_row({"imbalance", imbalance_text(before.imbalance),
                 terminal.paint(Colour::bold, imbalance_text(after.imbalance))});
  table.add_row({"max load above lower bound", above_bound(before.max_time_s, outcome.bound),
                 above_bound(after.max_time_s, outcome.bound)});
  table.add_row({"off-rank data", bytes_text(outcome.traffic_before.off_rank_bytes()),
                 bytes_text(outcome.traffic_after.off_rank_bytes())});
  table.add_row({"off-rank messages", count(outcome.traffic_before.off_rank_messages()),
                 count(outcome.traffic_after.off_rank_messages())});
  output += table.to_string();
  output +=
      fmt::format("\nNo placement can take less than {} ({}).\n",
                  support::format_seconds(outcome.bound.time_s), balance::to_string(outcome.bound.cause));
  const double total_load_s = before.mean_time_s * static_cast<double>(outcome.ranks);
  output += fmt::format("{} moved {} with {} of load ({} of all) in {}.\n", outcome.strategy,
                        count(after.n_moved, "object"), support::format_seconds(after.moved_load_s),
                        support::format_percentage(total_load_s > 0 ? after.moved_load_s / total_load_s : 0),
                        support::format_seconds(outcome.strategy_time_s));
  for (const balance::Remark& remark : outcome.remarks) output += remark.text + '\n';
  if (!folder.empty()) output += fmt::format("The result is in {}.\n", folder);
  return output;
}

void write_placement(support::JsonWriter& json, const balance::PlacementSummary& summary,
                     const balance::RankTraffic& traffic) {
  json.begin_object()
      .member("max_load_s", summary.max_time_s)
      .member("mean_load_s", summary.mean_time_s)
      .member("imbalance", summary.imbalance)
      .member("off_rank_bytes", traffic.off_rank_bytes())
      .member("off_rank_messages", traffic.off_rank_messages())
      .end_object();
}

std::string json_text(const Outcome& outcome, const std::string& folder) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().member("strategy", outcome.strategy).key("parameters").begin_object();
  for (const auto& [name, value] : outcome.parameters.values()) {
    json.key(name);
    std::visit([&](const auto& alternative) { json.value(alternative); }, value);
  }
  json.end_object()
      .member("load_model", outcome.load_model)
      .member("phase", outcome.phase)
      .member("ranks", outcome.ranks)
      .member("objects", outcome.objects)
      .member("lower_bound_s", outcome.bound.time_s)
      .member("lower_bound_cause", balance::to_string(outcome.bound.cause));
  write_placement(json.key("before"), outcome.before, outcome.traffic_before);
  write_placement(json.key("after"), outcome.after, outcome.traffic_after);
  json.member("moved_objects", outcome.after.n_moved)
      .member("moved_load_s", outcome.after.moved_load_s)
      .member("strategy_time_s", outcome.strategy_time_s)
      .key("remarks")
      .begin_object();
  for (const balance::Remark& remark : outcome.remarks) json.member(remark.key, remark.value);
  json.end_object().key("output");
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
    const auto strategy = registry.create(name, parameter_map(options->parameters));
    check_output(options->output);

    lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    need_columns(options->phase, registry.info(name), *strategy);
    balance::DatasetPhase phase = load_phase(dataset, options->phase);
    const Outcome outcome = run_strategy(*strategy, phase, *options->phase.load_model);
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
