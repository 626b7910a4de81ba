#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/comparison.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/load_model_option.hpp"
#include "cli/options/phase_options.hpp"
#include "cli/options/work_option.hpp"
#include "cli/terminal/placement_json.hpp"
#include "cli/terminal/terminal_progress.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::cli {

namespace {

using Align = support::TextTable::Align;

struct CompareOptions {
  InputOptions input;
  PhaseOptions phase;
  std::string strategies;
  std::vector<std::string> parameters;
  std::vector<double> work;
  bool json = false;
};

constexpr const char* examples =
    R"(  plimsoll compare data                                    all strategies on the last phase
  plimsoll compare data --strategies GreedyLB,RefineLB --phase 7
  plimsoll compare data --strategies 'RefineLB(tolerance=1.01),RefineLB(tolerance=1.05)'
  plimsoll compare data --strategies RefineLB,./libFooLB.so --param max_moves=100
  plimsoll compare data --load-model 'LinearModel(length=5)'  on the loads that it expects
  plimsoll compare data --json | jq '.strategies[] | select(.non_dominated).strategy')";

/// A strategy to compare, as users write it: its name or path, and the parameters that it alone is given.
struct Contestant {
  std::string text;
  std::string name;
  balance::ParameterMap parameters = {};
};

/// The pieces of `text` between the commas that are not in brackets.
std::vector<std::string> split_outside_brackets(const std::string& text) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0)
      pieces.emplace_back();
    else
      pieces.back() += letter;
  }
  return pieces;
}

/// NAME or NAME(PARAMETER=VALUE,...).
Contestant contestant(const std::string& text) {
  const std::size_t bracket = text.find('(');
  if (bracket == std::string::npos) return {text, text};
  if (!text.ends_with(')'))
    throw support::usage_error(fmt::format("\"{}\" is no strategy", text),
                               "write it such as RefineLB or 'RefineLB(tolerance=1.02)'");
  const std::string inner = text.substr(bracket + 1, text.size() - bracket - 2);
  return {text, text.substr(0, bracket), parameter_map(split_outside_brackets(inner))};
}

std::vector<Contestant> contestants(const std::string& given) {
  std::vector<Contestant> result;
  if (!given.empty()) {
    for (const std::string& text : split_outside_brackets(given)) result.push_back(contestant(text));
    return result;
  }
  for (const balance::StrategyInfo& info : balance::StrategyRegistry::builtin().list())
    if (info.name != "PrescribedLB") result.push_back({info.name, info.name});  // which needs a placement
  return result;
}

bool has_parameter(const balance::StrategyInfo& info, const std::string& name) {
  return std::ranges::any_of(info.parameters, [&](const balance::ParameterSpec& parameter) {
    return parameter.name == name || std::ranges::count(parameter.aliases, name) > 0;
  });
}

/// Makes the strategies; each gets those of the common parameters that it has.
std::vector<std::unique_ptr<balance::Strategy>> make_strategies(std::vector<Contestant> contestants,
                                                                CompareOptions& options) {
  const balance::ParameterMap common = parameter_map(options.parameters);
  balance::ParameterMap unused = common;
  std::vector<std::unique_ptr<balance::Strategy>> strategies;
  balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
  for (Contestant& wanted : contestants) {
    const std::string name = registry.resolve(wanted.name);
    const balance::StrategyInfo& info = registry.info(name);
    for (const auto& [parameter, value] : common) {
      if (!has_parameter(info, parameter)) continue;
      wanted.parameters.emplace(parameter, value);
      unused.erase(parameter);
    }
    give_work_parameters(options.work, info, wanted.parameters);
    strategies.push_back(registry.create(name, wanted.parameters));
    need_columns(options.phase, info, *strategies.back());
  }
  if (!unused.empty())
    throw support::usage_error(
        fmt::format("none of the strategies has a parameter \"{}\"", unused.begin()->first),
        "plimsoll strategies lists what each has");
  return strategies;
}

/// Whether anything is known of what migrations send.
bool knows_sizes(const balance::LDStats& stats) {
  return std::ranges::any_of(stats.memory,
                             [](const balance::ObjMemory& memory) { return memory.migration_bytes() > 0; });
}

std::vector<std::string> cells(const balance::PlacementQuality& quality, const balance::Bound& bound,
                               const balance::LDStats& stats, bool with_sizes) {
  const balance::PlacementSummary& summary = quality.summary;
  const double moved = stats.n_objs() > 0 ? static_cast<double>(summary.n_moved) / stats.n_objs() : 0;
  return {imbalance_text(summary.imbalance + 1),
          bound.time_s > 0 ? fmt::format("{:+.2f} %", 100 * (summary.max_time_s / bound.time_s - 1)) : "-",
          support::format_seconds(quality.work.max),
          bytes_text(quality.off_rank_bytes),
          fmt::format("{} ({})", count(summary.n_moved), support::format_percentage(moved)),
          with_sizes ? bytes_text(summary.moved_bytes) : "-"};
}

std::string text(const balance::Comparison& comparison, const std::vector<Contestant>& contestants,
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
  const auto add_row = [&](const std::string& mark, const std::string& name,
                           const balance::PlacementQuality& quality, const std::string& decision) {
    std::vector<std::string> row = cells(quality, comparison.bound, phase.stats, with_sizes);
    row.insert(row.begin(), {mark, name});
    row.push_back(decision);
    table.add_row(std::move(row));
  };
  add_row("", "(as recorded)", comparison.start, "");
  table.add_rule();
  std::string notes;
  for (std::size_t k = 0; k < contestants.size(); ++k) {
    const balance::StrategyResult& result = comparison.results[k];
    const std::string& label = contestants[k].text;
    if (!result.failure.empty()) {
      notes += fmt::format("{} decided nothing: {}\n", label, result.failure);
      continue;
    }
    add_row(result.non_dominated ? "*" : "",
            result.non_dominated ? terminal.paint(Colour::bold, label) : label, result.quality,
            support::format_seconds(result.decision_s));
    for (const balance::Remark& remark : result.remarks) notes += fmt::format("{}: {}\n", label, remark.text);
  }
  output += table.to_string();
  output +=
      "\n* nothing else is as good in max/mean, max work, off-rank data, objects and data moved, and better "
      "in one of them\n";
  return output + (notes.empty() ? "" : "\n" + notes);
}

double above_bound(const balance::PlacementQuality& quality, const balance::Bound& bound) {
  return bound.time_s > 0 ? quality.summary.max_time_s / bound.time_s - 1 : 0;
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
  json.member("above_bound", above_bound(comparison.start, comparison.bound)).end_object();
  json.key("strategies").begin_array();
  for (const balance::StrategyResult& result : comparison.results) {
    write_strategy(json.begin_object(), result);
    if (result.failure.empty()) {
      write_quality(json, result.quality);
      write_moves(json, result.quality.summary);
      json.member("above_bound", above_bound(result.quality, comparison.bound))
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
  app.footer(examples);
  add_input_options(app, options->input);
  app.add_option("--strategies", options->strategies,
                 "Names, with parameters in brackets where wanted,\nseparated by commas (all strategies)")
      ->option_text("LIST");
  app.add_option("--param", options->parameters,
                 "A parameter of all strategies that have it;\nmay be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  add_phase_options(app, options->phase);
  add_work_option(app, options->work);
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    const std::vector<Contestant> chosen = contestants(options->strategies);
    const auto strategies = make_strategies(chosen, *options);
    const balance::WorkCoefficients work =
        work_coefficients(options->work).value_or(balance::WorkCoefficients());
    options->phase.columns.memory = true;  // for the data that moves
    const lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    balance::DatasetPhase phase = load_phase(dataset, options->phase);
    TerminalProgress progress(terminal);
    const balance::Comparison comparison = balance::compare(phase.stats, strategies, work, progress);
    const std::string load_model = options->phase.load_model->text();
    terminal.print(options->json ? json_text(comparison, phase, load_model)
                                 : text(comparison, chosen, phase, load_model, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
