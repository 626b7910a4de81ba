#include <plimsoll/balance/budget.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/replicated_stats.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/drawing/chart.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct CompareOptions {
  InputOptions input;
  std::string load_field;
  balance::PhaseRequest request;
  std::string strategies;
  std::vector<balance::MoveBudget> budgets;
  balance::ParameterMap parameters;
  bool json = false;
  bool ascii = false;
};

constexpr const char* compare_examples =
    R"(  plimsoll compare data                                    all strategies on the last phase
  plimsoll compare data --strategies GreedyLB,RefineLB --phase 7
  plimsoll compare data --strategies 'RefineLB(tolerance=1.01),RefineLB(tolerance=1.05)'
  plimsoll compare data --strategies RefineLB,./libFooLB.so --param max_moves=100
  plimsoll compare data --strategies RefineLB --budget 0.1%,1%,5%,all  what more migrations are worth
  plimsoll compare data --load-model 'LinearModel(length=5)'  use predicted loads
  plimsoll compare data --json | jq '.strategies[] | select(.non_dominated).strategy')";

bool knows_sizes(const balance::LDStats& stats) {
  return std::ranges::any_of(stats.memory,
                             [](const balance::ObjMemory& memory) { return memory.migration_bytes() > 0; });
}

struct Row {
  std::string strategy;
  const balance::Quality* quality = nullptr;
  const balance::StrategyResult* result = nullptr;  ///< null for the recorded placement
  std::string budget = {};                          ///< maximum number of migrations; empty without --budget
};

/// Returns the row of a strategy. With --budget, the budget has its own column.
Row row_of(balance::StrategySpec spec, const balance::StrategyResult& result, bool with_budget) {
  Row row{{}, &result.quality, &result};
  if (with_budget) {
    const bool is_limited = !spec.parameters.empty() && spec.parameters.back().first == "max_moves";
    row.budget = is_limited ? spec.parameters.back().second : "all";
    if (is_limited) spec.parameters.pop_back();
  }
  row.strategy = to_string(spec);
  return row;
}

std::string row_table(const std::vector<Row>& rows, const balance::PhaseComparison& comparison,
                      const Terminal& terminal) {
  const balance::LDStats& stats = comparison.phase.stats;
  const balance::Bound& bound = comparison.comparison.bound;
  const balance::Quality& start = comparison.comparison.start;
  const bool with_sizes = knows_sizes(stats);
  const auto is_best = [](const Row& row) { return row.result != nullptr && row.result->non_dominated; };
  const auto& work_bound = comparison.comparison.work_bound;
  const auto above = [&](const Row& row) {
    return work_bound ? above_bound_text(row.quality->work.max, *work_bound, 2)
                      : above_bound_text(row.quality->max_time_s, bound.time_s, 2);
  };
  const auto imbalance = [&](const Row& row) {
    return imbalance_text(work_bound ? row.quality->work.imbalance : row.quality->imbalance);
  };
  const auto moved = [&](const Row& row) {
    const std::int64_t n_moved = row.quality->n_moved;
    const double share = stats.n_objs() > 0 ? static_cast<double>(n_moved) / stats.n_objs() : 0;
    return fmt::format("{} ({})", count(n_moved), support::format_percentage(share));
  };
  return table_of<Row>(
      rows,
      {{"", Align::left, [&](const auto& row) { return is_best(row) ? "*" : ""; }},
       {"strategy", Align::left,
        [&](const auto& row) {
          return is_best(row) ? terminal.paint(Colour::bold, row.strategy) : row.strategy;
        }},
       {"budget", Align::right, [](const auto& row) { return row.budget; }, !rows.back().budget.empty()},
       {work_bound ? "work imbalance" : "imbalance", Align::right, imbalance},
       {work_bound ? "work above bound" : "above bound", Align::right, above},
       {"max work", Align::right,
        [](const auto& row) { return support::format_seconds(row.quality->work.max); }},
       {"max memory", Align::right,
        [](const auto& row) { return memory_text(row.quality->max_memory_bytes); },
        start.max_memory_bytes.has_value()},
       {"max node memory", Align::right,
        [](const auto& row) { return memory_text(row.quality->max_node_memory_bytes); },
        start.max_node_memory_bytes.has_value()},
       {"off-rank data", Align::right,
        [](const auto& row) { return bytes_text(row.quality->off_rank_bytes); }},
       {"objects moved", Align::right, moved},
       {"data moved", Align::right,
        [&](const auto& row) { return with_sizes ? bytes_text(row.quality->moved_bytes) : "-"; }},
       {"decision", Align::right,
        [](const auto& row) {
          return row.result != nullptr ? support::format_seconds(row.result->decision_s) : "";
        }}},
      1);
}

/// Returns the explanation of the star, with the metrics that dominates() compares.
std::string about_star(const balance::Comparison& comparison) {
  return fmt::format(
      "* not dominated (Pareto): no other placement is at least as good in {}, {}off-rank data,\n  objects "
      "moved and data moved, and better in one of them\n",
      comparison.work_bound ? "max work" : "max load", comparison.start.max_memory_bytes ? "memory, " : "");
}

/// Draws the maximum load, time or work of each placement, above that of the best possible one.
std::string chart(const balance::Comparison& comparison, const std::vector<balance::StrategySpec>& specs,
                  bool is_synchronised, const Terminal& terminal) {
  std::vector<drawing::Bar> bars;
  const auto& work_bound = comparison.work_bound;
  const auto add = [&](std::string label, double max_s) {
    bars.push_back({std::move(label), max_s, support::format_seconds(max_s)});
  };
  const auto maximum = [&](const balance::Quality& quality) {
    return work_bound ? quality.work.max : quality.max_time_s;
  };
  add("(as recorded)", maximum(comparison.start));
  for (std::size_t k = 0; k < specs.size(); ++k)
    if (comparison.results[k].failure.empty())
      add(to_string(specs[k]), maximum(comparison.results[k].quality));
  add("(lower bound)", work_bound.value_or(comparison.bound.time_s));
  return drawing::bar_chart(bars,
                            work_bound        ? "Maximum work"
                            : is_synchronised ? "Time of phase"
                                              : "Maximum load",
                            std::clamp<std::size_t>(terminal.width(), 30, 80), !terminal.utf8());
}

std::string text(const balance::PhaseComparison& result, const std::vector<balance::StrategySpec>& specs,
                 const CompareOptions& options, const Terminal& terminal) {
  const auto& [phase, comparison] = result;
  std::string output =
      fmt::format("Phase {}: {}, {}. {}\n", phase.phase, count(phase.stats.count(), "rank"),
                  count(phase.stats.n_objs(), "object"), bound_text(comparison.bound, comparison.work_bound));
  output += load_field_line(options.load_field) + load_model_line(options.request.load_model) +
            subphases_line(phase) + "\n";
  std::vector<Row> rows = {{"(as recorded)", &comparison.start}};
  std::string notes;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    const balance::StrategyResult& of_strategy = comparison.results[k];
    const std::string label = to_string(specs[k]);
    if (!of_strategy.failure.empty()) {
      notes += fmt::format("{} failed: {}\n", label, of_strategy.failure);
      continue;
    }
    rows.push_back(row_of(specs[k], of_strategy, !options.budgets.empty()));
    for (const balance::Remark& remark : of_strategy.remarks)
      notes += fmt::format("{}: {}\n", label, remark.text);
  }
  output += row_table(rows, result, terminal);
  if (terminal.shows_charts())
    output += "\n" + chart(comparison, specs, !phase.stats.subphases.empty(), terminal);
  return output + "\n" + about_star(comparison) + (notes.empty() ? "" : "\n" + notes);
}

/// Returns the number of objects of the requested phase.
std::int64_t n_objects(const lbdata::Dataset& dataset, const balance::PhaseRequest& request) {
  const balance::LDStats stats =
      balance::load_phase(dataset, request.phase.value_or(balance::last_complete_phase(dataset))).stats;
  return request.simulate_ranks ? balance::replicated(stats, *request.simulate_ranks).n_objs()
                                : stats.n_objs();
}

}  // namespace

Command define_compare(OptionParser& parser) {
  auto options = begin_command<CompareOptions>(parser, compare_examples);
  add_input_options(parser, options->input);
  parser
      .add_option(
          "--strategies LIST", options->strategies,
          "Names separated by commas, with optional parameters in parentheses [default: all strategies]")
      .suggests(strategy_names());
  parser.add_option_function<std::string>(
      "--budget LIST",
      [&budgets = options->budgets](const std::string& text) {
        budgets = balance::MoveBudget::parse_list(text);
      },
      "Run each strategy with each of these maximum numbers of migrations, separated by commas: numbers of "
      "objects, shares of them such as 0.1%, or all");
  add_parameter_option(parser, options->parameters,
                       "Parameter of all strategies that accept it; may be repeated");
  add_load_option(parser, options->load_field);
  add_phase_options(parser, options->request);
  add_simulate_ranks_option(parser, options->request);
  add_json_option(parser, options->json);
  add_ascii_option(parser, options->ascii);

  return [options](Terminal& terminal) {
    if (!options->budgets.empty() && options->parameters.contains("max_moves"))
      throw support::usage_error("max_moves cannot be combined with --budget", "remove one of them");
    std::vector<balance::StrategySpec> specs = options->strategies.empty()
                                                   ? balance::all_strategies()
                                                   : balance::StrategySpec::parse_list(options->strategies);
    auto strategies = balance::make_strategies(specs, options->parameters, options->request.work);
    if (options->ascii) terminal.show_ascii_charts();
    lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    balance::use_load_field(dataset, options->load_field);
    options->request.background = options->load_field.empty();
    if (!options->budgets.empty()) {
      specs = balance::with_budgets(specs, options->budgets, n_objects(dataset, options->request));
      strategies = balance::make_strategies(specs, options->parameters, options->request.work);
    }
    TerminalProgress progress(terminal);
    const balance::PhaseComparison result = balance::compare(dataset, strategies, options->request, progress);
    terminal.print(options->json ? documents::to_json(documents::ComparisonInfo{
                                       result, {options->load_field, options->request.load_model}})
                                 : fitted(text(result, specs, *options, terminal)));
    return 0;
  };
}

}  // namespace plimsoll::cli
