#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/commands.hpp"
#include "cli/options/balance_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using Align = support::TextTable::Align;

struct CompareOptions {
  InputOptions input;
  std::string load_field;
  balance::PhaseRequest request;
  std::string strategies;
  balance::ParameterMap parameters;
  bool json = false;
  bool ascii = false;
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

/// Columns of the table after the strategy's name.
class QualityColumns {
 public:
  explicit QualityColumns(const balance::PhaseComparison& result)
      : stats_(result.phase.stats),
        bound_(result.comparison.bound),
        with_memory_(result.comparison.start.max_memory_bytes.has_value()),
        with_node_memory_(result.comparison.start.max_node_memory_bytes.has_value()),
        with_sizes_(knows_sizes(stats_)) {}

  std::vector<support::TextTable::Column> headers() const {
    std::vector<support::TextTable::Column> columns = {
        {"imbalance", Align::right}, {"above bound", Align::right}, {"max work", Align::right}};
    if (with_memory_) columns.push_back({"max memory", Align::right});
    if (with_node_memory_) columns.push_back({"max node memory", Align::right});
    for (const char* name : {"off-rank data", "objects moved", "data moved"})
      columns.push_back({name, Align::right});
    return columns;
  }

  std::vector<std::string> cells(const balance::Quality& quality) const {
    const double moved = stats_.n_objs() > 0 ? static_cast<double>(quality.n_moved) / stats_.n_objs() : 0;
    std::vector<std::string> cells = {
        imbalance_text(quality.imbalance),
        bound_.time_s > 0 ? support::format_difference(balance::above_bound(quality, bound_), 2) : "-",
        support::format_seconds(quality.work.max)};
    if (with_memory_) cells.push_back(memory_text(quality.max_memory_bytes));
    if (with_node_memory_) cells.push_back(memory_text(quality.max_node_memory_bytes));
    cells.push_back(bytes_text(quality.off_rank_bytes));
    cells.push_back(fmt::format("{} ({})", count(quality.n_moved), support::format_percentage(moved)));
    cells.push_back(with_sizes_ ? bytes_text(quality.moved_bytes) : "-");
    return cells;
  }

  /// Returns the explanation of the star, with the metrics that dominates() compares.
  std::string star() const {
    return fmt::format(
        "* not dominated (Pareto): no other placement is at least as good in max load, max work, {}off-rank "
        "data,\n  objects moved and data moved, and better in one of them\n",
        with_memory_ ? "memory, " : "");
  }

 private:
  const balance::LDStats& stats_;
  const balance::Bound& bound_;
  bool with_memory_;
  bool with_node_memory_;
  bool with_sizes_;
};

/// Draws the maximum load of each placement, above that of the best possible one.
std::string chart(const balance::PhaseComparison& result, const std::vector<balance::StrategySpec>& specs,
                  const Terminal& terminal) {
  std::vector<drawing::Bar> bars;
  const auto add = [&](std::string label, double load_s) {
    bars.push_back({std::move(label), load_s, support::format_seconds(load_s)});
  };
  add("(as recorded)", result.comparison.start.max_time_s);
  for (std::size_t k = 0; k < specs.size(); ++k)
    if (result.comparison.results[k].failure.empty())
      add(to_string(specs[k]), result.comparison.results[k].quality.max_time_s);
  add("(lower bound)", result.comparison.bound.time_s);
  return drawing::bar_chart(bars, "Maximum load", std::clamp<std::size_t>(terminal.width(), 30, 80),
                            !terminal.utf8());
}

std::string text(const balance::PhaseComparison& result, const std::vector<balance::StrategySpec>& specs,
                 const CompareOptions& options, const Terminal& terminal) {
  const auto& [phase, comparison] = result;
  std::string output = fmt::format(
      "Phase {}: {}, {}. No placement can take less than {} ({}).\n", phase.phase,
      count(phase.stats.count(), "rank"), count(phase.stats.n_objs(), "object"),
      support::format_seconds(comparison.bound.time_s), balance::to_string(comparison.bound.cause));
  output += load_field_line(options.load_field) + load_model_line(options.request.load_model) + "\n";
  const QualityColumns quality_columns(result);
  std::vector<support::TextTable::Column> columns = quality_columns.headers();
  columns.insert(columns.begin(), {{""}, {"strategy"}});
  columns.push_back({"decision", Align::right});
  support::TextTable table(columns);
  const auto add_row = [&](const std::string& mark, const std::string& name, const balance::Quality& quality,
                           const std::string& decision) {
    std::vector<std::string> row = quality_columns.cells(quality);
    row.insert(row.begin(), {mark, name});
    row.push_back(decision);
    table.add_row(std::move(row));
  };
  add_row("", "(as recorded)", comparison.start, "");
  table.add_rule();
  std::string notes;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    const balance::StrategyResult& of_strategy = comparison.results[k];
    const std::string label = to_string(specs[k]);
    if (!of_strategy.failure.empty()) {
      notes += fmt::format("{} failed: {}\n", label, of_strategy.failure);
      continue;
    }
    add_row(of_strategy.non_dominated ? "*" : "",
            of_strategy.non_dominated ? terminal.paint(Colour::bold, label) : label, of_strategy.quality,
            support::format_seconds(of_strategy.decision_s));
    for (const balance::Remark& remark : of_strategy.remarks)
      notes += fmt::format("{}: {}\n", label, remark.text);
  }
  output += table.to_string();
  if (terminal.shows_charts()) output += "\n" + chart(result, specs, terminal);
  return output + "\n" + quality_columns.star() + (notes.empty() ? "" : "\n" + notes);
}

}  // namespace

Command define_compare(OptionParser& parser) {
  auto options = std::make_shared<CompareOptions>();
  parser.set_examples(compare_examples);
  add_input_options(parser, options->input);
  parser.add_option(
      "--strategies LIST", options->strategies,
      "Names separated by commas, with optional parameters\nin parentheses [default: all strategies]");
  add_parameter_option(parser, options->parameters,
                       "Parameter of all strategies that accept it;\nmay be repeated");
  add_load_option(parser, options->load_field);
  add_phase_options(parser, options->request);
  add_json_option(parser, options->json);
  add_ascii_option(parser, options->ascii);

  return [options](Terminal& terminal) {
    const std::vector<balance::StrategySpec> specs =
        options->strategies.empty() ? balance::all_strategies()
                                    : balance::StrategySpec::parse_list(options->strategies);
    const auto strategies = balance::make_strategies(specs, options->parameters, options->request.work);
    if (options->ascii) terminal.show_ascii_charts();
    lbdata::Dataset dataset = read_input(options->input, lbdata::PhaseSelection::all(), terminal);
    balance::use_load_field(dataset, options->load_field);
    TerminalProgress progress(terminal);
    const balance::PhaseComparison result = balance::compare(dataset, strategies, options->request, progress);
    terminal.print(options->json ? documents::to_json(documents::ComparisonInfo{
                                       result, {options->load_field, options->request.load_model}})
                                 : text(result, specs, *options, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
