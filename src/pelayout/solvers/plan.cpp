#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/models/models.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double days_per_year = 365;
constexpr double seconds_per_day = 86400;
constexpr double agreement = 1e-6;

/// Maximum number of entries in tables that must be rebuilt for each of several totals: half a minute of
/// work.
constexpr double max_swept_entries = 2e9;

bool depends_on_total(ModelKind kind) {
  return kind != ModelKind::fit;
}

/// Returns the model without the thread counts that do not divide a node, because the threads of a task must
/// share a node.
ComponentModel within_nodes(ComponentModel model, std::int64_t processors_per_node) {
  std::erase_if(model.by_threads, [&](const auto& entry) { return processors_per_node % entry.first != 0; });
  if (model.by_threads.empty())
    throw support::bad_input(fmt::format("no thread count of {} divides a node of {} processors",
                                         model.component, count_text(processors_per_node)),
                             "", "use another number of processors per node, or other runs (--threads N)");
  return model;
}

std::optional<Solution> solution_of(const DynamicProgram& program, std::int64_t total) {
  return program.time(total) ? std::optional(program.solve(total)) : std::nullopt;
}

Solution solve_both(const LayoutProblem& problem) {
  Solution exact = DynamicProgram(problem).solve();
  const Solution milp = solve_milp(problem);
  if (std::abs(exact.time - milp.time) > agreement * std::max(exact.time, milp.time))
    throw Error(ErrorKind::system,
                {.what = fmt::format("the solvers disagree: {} with dynamic programming, {} with CBC",
                                     exact.time, milp.time),
                 .suggestion = "report this bug, and attach the problem as a JSON file"});
  return exact;
}

}  // namespace

#ifndef PLIMSOLL_CBC_LIBRARY
bool has_milp() {
  return false;
}

Solution solve_milp(const LayoutProblem&) {
  throw support::usage_error("Plimsoll was built without CBC", "use dynamic programming (dp)");
}
#endif

Planner::Planner(const Problem& problem, Layout layout, const PlanOptions& options)
    : problem_(problem),
      layout_(std::move(layout)),
      options_(options),
      counts_threads_(threads_vary(problem)),
      counts_vary_(!std::ranges::all_of(problem.components, was_measured_once)) {
  for (const Component& component : problem_.components) {
    if (!component.limit) continue;
    std::int64_t& maximum = layout_.rules[component.name].maximum;
    maximum = std::min(maximum, *component.limit);
  }
  const auto is_shared = [](const Partition& partition) { return partition.nodes.shared; };
  if (counts_threads_ &&
      ((options_.nodes && options_.nodes->shared) || std::ranges::any_of(options_.partitions, is_shared)))
    throw support::bad_input("components with several thread counts cannot share nodes", "",
                             "use runs with one thread count (--threads N), or --node_sharing no");
  std::vector<std::string> missing;
  for (const std::string& name : components(layout_.expression))
    if (problem_.find(name) == nullptr) missing.push_back(name);
  if (!missing.empty()) {
    const std::vector<std::string> names = problem_.component_names();
    throw support::bad_input(fmt::format("missing timings for {1}: the layout {0} requires them",
                                         layout_.name, fmt::join(missing, ", ")),
                             "",
                             names.empty() ? "add timings"
                                           : fmt::format("use another layout: timings are available for {}",
                                                         fmt::join(names, ", ")));
  }
  check_partitions();
}

std::vector<ComponentModel> Planner::models(std::int64_t total) const {
  return make_component_models(problem_, options_.model, total);
}

LayoutProblem Planner::layout_problem(std::int64_t total) const {
  PLIMSOLL_EXPECT(options_.partitions.empty() || total == processors_of(options_.partitions));
  const std::vector<ComponentModel> models_of_all = models(total);
  LayoutProblem result{layout_, {}, total, options_.exact_sum, options_.nodes, options_.partitions};
  std::size_t entries = 0;
  for (const std::string& name : components(layout_.expression)) {
    CostTable table = table_of_tasks(*find_model(models_of_all, name), total);
    entries += table.size();
    if (entries > options_.max_entries)
      throw support::bad_input(
          fmt::format("too many task counts: for {} processors, the components have more than {} in total",
                      count_text(total), support::format_count(options_.max_entries)),
          "", "set a larger block size, or use fewer processors");
    result.tables.push_back(on_nodes(std::move(table)));
  }
  return result;
}

CostTable Planner::cost_table(const ComponentModel& model, std::int64_t total) const {
  return on_nodes(table_of_tasks(model, total));
}

CostTable Planner::table_of_tasks(const ComponentModel& model, std::int64_t total) const {
  const ComponentRule& rule = layout_.rule(model.component);
  const auto partition = partition_of(model.component);
  if (partition)  // as many more as the total is larger
    total += options_.partitions[*partition].total() - processors_of(options_.partitions);
  const std::optional<Nodes> nodes = nodes_of(model.component);
  CostTable table = counts_threads_ && nodes
                        ? make_cost_table(within_nodes(model, nodes->tasks_per_node), rule, total, true)
                        : make_cost_table(model, rule, total, counts_threads_);
  table.partition = partition.value_or(0);
  table.prefers_measured_count =
      options_.model == ModelKind::fit && counts_vary_ && was_measured_once(*problem_.find(model.component));
  return table;
}

CostTable Planner::on_nodes(CostTable table) const {
  const std::optional<Nodes> nodes = nodes_of(table.component);
  if (!nodes || nodes->shared) return table;
  return on_whole_nodes(table, nodes->tasks_per_node);
}

std::optional<std::size_t> Planner::partition_of(const std::string& component) const {
  const auto found = partition_of_.find(component);
  return found == partition_of_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Nodes> Planner::nodes_of(const std::string& component) const {
  const auto partition = partition_of(component);
  return partition ? options_.partitions[*partition].nodes : options_.nodes;
}

void Planner::check_partitions() {
  if (options_.partitions.empty()) return;
  for (const auto& [component, name] : options_.placed_on)
    if (problem_.find(component) == nullptr)
      throw support::usage_error(
          fmt::format("kind of nodes of unknown component {}", support::in_quotes(component)),
          fmt::format("available: {}", fmt::join(problem_.component_names(), ", ")));
  partition_of_ = partitions_of(components(layout_.expression), options_.partitions, options_.placed_on);
  if (options_.exact_sum)
    throw support::usage_error("exact sums cannot be combined with two kinds of nodes", "remove exact sums");
}

Solution Planner::solve(std::int64_t total) const {
  const LayoutProblem problem = layout_problem(total);
  return prefer_measured_range(problem, solve(problem), [&](const Minima& minima) {
    return solution_of(DynamicProgram(with_minima(problem, minima)), total);
  });
}

Solution Planner::solve(const LayoutProblem& problem) const {
  switch (options_.solver) {
    case SolverKind::milp: return solve_milp(problem);
    case SolverKind::both: return solve_both(problem);
    default: return DynamicProgram(problem).solve();
  }
}

void Planner::refuse_endless(const std::vector<std::int64_t>& totals, std::int64_t maximum) const {
  if (static_cast<double>(totals.size()) * static_cast<double>(max_table_entries) <= max_swept_entries)
    return;
  double entries = 0;
  const std::vector<ComponentModel> models_of_all = models(maximum);
  for (const std::string& name : components(layout_.expression))
    entries += static_cast<double>(table_of_tasks(*find_model(models_of_all, name), maximum).size());
  double shares = 0;
  for (const std::int64_t total : totals) shares += static_cast<double>(total) / static_cast<double>(maximum);
  if (shares * entries <= max_swept_entries) return;
  throw support::usage_error(
      fmt::format("too many totals ({} of up to {} tasks): model {} must be rebuilt for each total",
                  support::format_count(totals.size()), count_text(maximum), to_string(options_.model)),
      "use the model fit, a larger step, or a block size");
}

std::vector<std::optional<Solution>> Planner::solve_each(const std::vector<std::int64_t>& totals) const {
  std::vector<std::optional<Solution>> solutions;
  std::optional<DynamicProgram> program;
  std::map<Minima, DynamicProgram> programs;  // programs for components with minima
  const std::int64_t maximum = totals.empty() ? 0 : *std::ranges::max_element(totals);
  if (depends_on_total(options_.model)) refuse_endless(totals, maximum);
  for (const std::int64_t total : totals) {
    if (!options_.partitions.empty() && total != processors_of(options_.partitions)) {
      solutions.emplace_back();
      continue;
    }
    if (depends_on_total(options_.model))
      program.emplace(layout_problem(total));
    else if (!program)
      program.emplace(layout_problem(options_.partitions.empty() ? maximum : total));
    std::optional<Solution>& solution = solutions.emplace_back(solution_of(*program, total));
    if (!solution || depends_on_total(options_.model)) continue;
    const LayoutProblem& problem = program->problem();
    solution = prefer_measured_range(problem, std::move(*solution), [&](const Minima& minima) {
      auto found = programs.find(minima);
      if (found == programs.end()) found = programs.emplace(minima, with_minima(problem, minima)).first;
      return solution_of(found->second, total);
    });
  }
  return solutions;
}

double throughput(double time) {
  return seconds_per_day / (days_per_year * time);
}

std::int64_t reserved_processors(const Solution& solution, std::int64_t total, bool counts_threads) {
  if (!solution.partitions.empty()) {
    std::int64_t processors = 0;
    for (const Partition& partition : solution.partitions)
      processors += partition.n_nodes * partition.nodes.processors_per_node;
    return processors;
  }
  if (solution.nodes) return solution.nodes->count(total) * solution.nodes->processors_per_node;
  if (counts_threads) return total;
  std::int64_t threads = 1;
  for (const Place& place : solution.places) threads = std::max(threads, place.threads);
  return total * threads;
}

double core_hours(double time, std::int64_t processors) {
  return 24 * static_cast<double>(processors) / throughput(time);
}

}  // namespace plimsoll::pelayout
