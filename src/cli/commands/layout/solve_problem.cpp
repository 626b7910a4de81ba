#include "cli/commands/layout/solve_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/pelayout/external_solver.hpp>
#include <plimsoll/pelayout/layout_pes.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::cli {

namespace {

using pelayout::Planner;
using pelayout::Problem;

constexpr const char* default_layout = "IceLndAtmOcn";
constexpr std::int64_t totals_to_choose_from = 64;

bool is_yaml(const std::string& text) {
  return text.ends_with(".yaml") || text.ends_with(".yml");
}

/// Neither names nor expressions have a slash.
bool is_executable(const std::string& layout) {
  return layout.find('/') != std::string::npos && !is_yaml(layout);
}

std::vector<std::string> component_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const pelayout::Component& component : problem.components) names.push_back(component.name);
  return names;
}

pelayout::PlanOptions plan_of(const SolveOptions& options) {
  return {.model = pelayout::model_kind(options.model),
          .solver = pelayout::solver_kind(options.solver),
          .exact_sum = options.exact_sum};
}

/// An objective other than time chooses among all totals up to the one given.
std::vector<std::int64_t> candidates(std::vector<std::int64_t> totals, const SolveOptions& options) {
  if (totals.size() > 1 || options.objective == "time") return totals;
  const std::int64_t total = totals.front();
  const std::int64_t parts = std::min(total, totals_to_choose_from);
  totals.clear();
  for (std::int64_t k = 1; k <= parts; ++k) totals.push_back(total / parts * k + total % parts * k / parts);
  return totals;
}

void need_costs_per_day(const Problem& problem) {
  if (problem.unit == pelayout::CostUnit::total_seconds)
    throw support::usage_error("to compare totals, costs must be seconds per model day",
                               "leave --cost total out");
}

/// Solves for each total and takes the best by the objective.
void solve_sweep(const Planner& planner, const std::vector<std::int64_t>& totals, const SolveOptions& options,
                 SolveAnswer& answer) {
  need_costs_per_day(answer.problem);
  SweepAnswer result = {.sweep = sweep(planner, totals), .objective = options.objective};
  const auto chosen = best(result.sweep, pelayout::parse_objective(options.objective));
  answer.total = chosen ? result.sweep.points[*chosen].total : totals.back();
  answer.solution = planner.solve(answer.total);  // which says why if there is none
  result.chosen = *chosen;
  answer.sweep = std::move(result);
}

std::vector<LeftOutComponent> left_out_components(const SolveAnswer& answer) {
  std::vector<LeftOutComponent> result;
  const pelayout::PesEntry pes = to_pes(answer.problem, answer.solution);
  for (const std::string& name : left_out(answer.problem, answer.solution)) {
    const pelayout::ComponentPes& placed = pes.components.at(name);
    const std::int64_t tasks = placed.tasks.value_or(1);
    const pelayout::ComponentModel* model = answer.model(name);
    if (model == nullptr || model->by_threads.empty()) continue;
    const auto found = model->by_threads.find(placed.threads.value_or(1));
    const auto& scaling =
        found == model->by_threads.end() ? model->by_threads.begin()->second : found->second;
    result.push_back({.component = name, .tasks = tasks, .cost = scaling->cost(tasks)});
  }
  return result;
}

/// "ATM: 124 counts from 8 to 1,024 tasks, in blocks of 8".
std::string problem_sizes(const pelayout::LayoutProblem& problem) {
  std::string text;
  for (const pelayout::CostTable& table : problem.tables)
    if (table.size() > 0)
      text += fmt::format("{}: {} from {} to {}, in blocks of {}; {}\n", table.component,
                          count(table.size(), "count"), count(table.processors.front()),
                          count(table.processors.back()), count(table.block_size),
                          count(table.lines.size(), "line"));
  return text;
}

void analyse_solution(const Planner& planner, const SolveOptions& options, SolveAnswer& answer) {
  answer.models = planner.models(answer.total);
  answer.values = documented_values(answer.solution, answer.total);
  answer.left_out = left_out_components(answer);
  if (!options.check.empty()) answer.prediction = predict(planner, pelayout::read_timing_file(options.check));
  if (options.debug) answer.sizes = problem_sizes(planner.layout_problem(answer.total));
  if (options.silent && !options.json && !options.next_runs) return;
  answer.sensitivity = analyse(planner, answer.solution, answer.total);
  answer.next_runs = next_runs(planner, answer.solution, answer.total);
}

/// The layout asked for. What the command line says of blocks holds, whatever a layout's file says.
pelayout::Layout layout_of(const Problem& problem, const SolveOptions& options) {
  pelayout::Layout layout = pelayout::find_layout(layout_text(options, problem), component_names(problem));
  for (auto& [component, rule] : layout.rules)
    if (options.block_sizes.contains(component)) rule.block_size = options.block_sizes.at(component);
  return layout;
}

SolveAnswer solve_by_plan(const Problem& problem, const SolveOptions& options) {
  const Planner planner(problem, layout_of(problem, options), plan_of(options));
  SolveAnswer answer = {.problem = problem,
                        .layout = planner.layout(),
                        .plan = planner.options(),
                        .solver = options.solver,
                        .counts_threads = planner.counts_threads()};
  const std::vector<std::int64_t> totals = candidates(totals_of(options, problem), options);
  if (totals.size() > 1) {
    solve_sweep(planner, totals, options, answer);
  } else {
    answer.total = totals.front();
    answer.solution = planner.solve(answer.total);
  }
  analyse_solution(planner, options, answer);
  return answer;
}

/// What only makes sense if the layout is known, not only what its solver says.
void refuse_with_executable(const SolveOptions& options, std::size_t totals) {
  const auto refuse = [](bool given, const char* what) {
    if (given) throw support::usage_error(fmt::format("{} does not go with a solver of one's own", what));
  };
  refuse(totals > 1, "a sweep over totals");
  refuse(options.objective != "time", "--objective");
  refuse(!options.check.empty(), "--check");
  refuse(options.next_runs.has_value(), "--next_runs");
  refuse(options.exact_sum, "--exact-sum");
}

SolveAnswer solve_by_executable(const Problem& problem, const SolveOptions& options) {
  const std::vector<std::int64_t> totals = totals_of(options, problem);
  refuse_with_executable(options, totals.size());
  SolveAnswer answer = {.problem = problem,
                        .layout = {.name = options.layout},
                        .plan = plan_of(options),
                        .solver = options.layout,
                        .total = totals.front()};
  answer.models = make_component_models(problem, answer.plan.model, answer.total);
  pelayout::ExternalAnswer found = run_external_solver(options.layout, problem, answer.models, answer.total);
  answer.solution.time = found.time;
  answer.solution.places = std::move(found.places);
  for (const pelayout::Place& place : answer.solution.places)
    answer.solution.processors = std::max(answer.solution.processors, place.root + place.processors);
  answer.values = std::move(found.values);
  if (answer.solution.places.empty() && !(options.pe_output.empty() && options.timeline_svg.empty()))
    throw support::bad_input("answers without places, from which no layout can be written", options.layout,
                             "leave --pe_output and --timeline_svg out");
  if (!answer.solution.places.empty()) answer.left_out = left_out_components(answer);
  return answer;
}

}  // namespace

std::string layout_text(const SolveOptions& options, const Problem& problem) {
  return !options.layout.empty() ? options.layout : problem.layout.value_or(default_layout);
}

std::vector<std::int64_t> totals_of(const SolveOptions& options, const Problem& problem) {
  if (!options.total_tasks.empty()) return pelayout::parse_totals(options.total_tasks);
  if (problem.total_tasks) return {*problem.total_tasks};
  throw support::usage_error("it is not known how many tasks there are",
                             "give --total_tasks N, or a --milp_input file with totaltasks");
}

SolveAnswer solve(const Problem& problem, const SolveOptions& options) {
  if (pelayout::is_external_solver(options.layout)) return solve_by_executable(problem, options);
  if (is_executable(layout_text(options, problem)))
    throw Error(
        ErrorKind::bad_input,
        {.what = fmt::format("its layout \"{}\" is a program, which no file makes run", *problem.layout),
         .file = options.json_input,
         .suggestion = "give it by --layout if that is what you want"});
  return solve_by_plan(problem, options);
}

}  // namespace plimsoll::cli
