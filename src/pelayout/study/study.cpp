#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/analysis/estimator.hpp"
#include "pelayout/models/models.hpp"
#include "pelayout/study/layout_choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::int64_t totals_to_choose_from = 64;

std::vector<std::int64_t> totals_of(const StudyRequest& request) {
  if (!request.totals.empty()) return request.totals;
  if (request.problem.total_tasks) return {*request.problem.total_tasks};
  throw support::usage_error("missing total number of tasks",
                             "set it in the request, or as totaltasks in the problem's file");
}

/// Returns the number of tasks of which all totals are multiples.
std::int64_t unit_of_totals(const StudyRequest& request) {
  const std::optional<Nodes>& nodes = request.plan.nodes;
  return nodes && !nodes->shared ? nodes->tasks_per_node : 1;
}

std::vector<std::int64_t> candidates(const StudyRequest& request) {
  std::vector<std::int64_t> totals = totals_of(request);
  const std::vector<Partition>& kinds = request.plan.partitions;
  if (!kinds.empty() && (request.objective != "time" || totals != std::vector{processors_of(kinds)}))
    throw support::usage_error("two kinds of nodes determine the total",
                               "use their number of processors as the only total, and the objective time");
  if (request.plan.nodes) check_totals(*request.plan.nodes, totals);
  if (totals.size() > 1 || request.objective == "time") return totals;
  const std::int64_t unit = unit_of_totals(request);
  const std::int64_t units = totals.front() / unit;
  const std::int64_t parts = std::min(units, totals_to_choose_from);
  totals.clear();
  for (std::int64_t k = 1; k <= parts; ++k)
    totals.push_back(unit * (units / parts * k + units % parts * k / parts));
  return totals;
}

std::vector<std::pair<std::string, double>> documented_values(const Solution& solution, std::int64_t total) {
  std::map<std::string, double> values = {{"COST_TOTAL", solution.time},
                                          {"NTASKS_TOTAL", static_cast<double>(total)}};
  for (const Place& place : solution.places) {
    values["COST_" + place.component] = place.cost;
    values["NBLOCKS_" + place.component] = static_cast<double>(place.blocks);
    values["NTASKS_" + place.component] = static_cast<double>(place.tasks);
  }
  return {values.begin(), values.end()};
}

std::vector<LeftOutComponent> left_out_components(const Study& study) {
  std::vector<LeftOutComponent> result;
  const PesEntry pes = to_pes(study.problem, study.solution);
  for (const std::string& name : left_out(study.problem, study.solution)) {
    const ComponentPes& placed = pes.components.at(name);
    const std::int64_t tasks = placed.tasks.value_or(1);
    if (const ScalingModel* model = find_model(study.models, name, placed.threads.value_or(1)))
      result.push_back({.component = name, .tasks = tasks, .cost = model->cost(tasks)});
  }
  return result;
}

/// Compares totals, each with its best layout.
TotalChoice choose_total(const StudyRequest& request, const LayoutChoice& choice,
                         const std::vector<std::int64_t>& totals) {
  std::vector<Sweep> sweeps;
  for (std::size_t layout = 0; layout < choice.layouts.size(); ++layout) {
    std::vector<std::int64_t> of_layout;
    for (std::size_t k = 0; k < totals.size(); ++k)
      if (choice.of_total[k] == layout) of_layout.push_back(totals[k]);
    if (of_layout.empty()) continue;
    const Planner planner(request.problem, choice.layouts[layout], plan_of(request));
    KnownRuns runs = known_runs(planner, request.runs);
    if (!may_choose_layout(request)) runs.layouts.clear();
    sweeps.push_back(sweep(planner, of_layout, request.analysis ? &runs : nullptr));
  }
  TotalChoice chosen = {.sweep = combined(sweeps), .objective = request.objective};
  chosen.chosen = best(chosen.sweep, parse_objective(request.objective)).value_or(0);
  return chosen;
}

/// Solves the problem. Empty if no computed layout fits on the total, but the layout of a run that may
/// replace it does. Otherwise throws the reason.
std::optional<Solution> computed_solution(const StudyRequest& request, const Planner& planner,
                                          const KnownRuns& runs, std::int64_t total) {
  const bool has_own = may_choose_layout(request) && fastest(runs.layouts, total) != nullptr;
  if (has_own && !planner.solve_each({total}).front()) return std::nullopt;
  return planner.solve(total);
}

/// Replaces the solution by the layout of runs if that is worth keeping, or no layout could be computed.
void compare_with_own_layout(const StudyRequest& request, const KnownRuns& runs, Study& study) {
  const OwnLayout* const own = fastest(runs.layouts, study.total);
  if (own == nullptr) return;
  study.own = *own;
  study.is_own_kept =
      may_choose_layout(request) && (!study.expected || is_worth_keeping(*own, *study.expected));
  if (!study.is_own_kept) return;
  if (study.expected) study.computed = {study.layout, study.solution, *study.expected};
  study.layout = own->layout;
  study.solution = own->solution;
  study.expected = expected_time(*own, study.runs);
}

void analyse_solution(const StudyRequest& request, const Planner& planner, const KnownRuns& runs,
                      Study& study) {
  if (!study.solution.places.empty()) {
    Expectation best = Estimator(planner, runs).best(study.solution, study.total);
    study.solution = std::move(best.solution);
    study.expected = std::move(best.expected);
  }
  compare_with_own_layout(request, runs, study);
  const Planner of_layout(study.problem, study.layout, study.plan);
  study.sensitivity = analyse(of_layout, study.solution, study.total, request.runs);
  if (study.is_own_kept)
    for (ComponentSensitivity& component : study.sensitivity->components)
      component.waiting = study.own->waiting.at(component.component);
  study.next_runs = next_runs(of_layout, study.solution, study.total);
  // The first run is the layout itself, which was measured if it is kept.
  if (study.is_own_kept) study.next_runs->runs.erase(study.next_runs->runs.begin());
}

Study study_by_planner(const StudyRequest& request) {
  const std::vector<std::int64_t> totals = candidates(request);
  const LayoutChoice layouts = best_layouts(request, totals);
  std::optional<TotalChoice> choice;
  std::int64_t total = totals.back();
  if (totals.size() > 1) {
    choice = choose_total(request, layouts, totals);
    if (!choice->sweep.points.empty()) total = choice->sweep.points[choice->chosen].total;
  }
  const auto place = static_cast<std::size_t>(std::ranges::find(totals, total) - totals.begin());
  const Planner planner(request.problem, layouts.layouts[layouts.of_total[place]], plan_of(request));
  Study study = {.problem = request.problem,
                 .layout = planner.layout(),
                 .plan = planner.options(),
                 .solver = support::name_of(solver_kinds, request.plan.solver),
                 .counts_threads = planner.counts_threads(),
                 .total = total,
                 .choice = std::move(choice)};
  const KnownRuns runs = known_runs(planner, request.runs);
  if (auto computed = computed_solution(request, planner, runs, study.total))
    study.solution = std::move(*computed);
  study.runs = runs.reproductions;
  study.models = planner.models(study.total);
  if (request.analysis)
    analyse_solution(request, planner, runs, study);
  else if (request.needs_next_runs)
    study.next_runs = next_runs(planner, study.solution, study.total);
  study.values = documented_values(study.solution, study.total);
  study.left_out = left_out_components(study);
  if (!request.check.empty())
    study.prediction = predict(Planner(study.problem, study.layout, study.plan),
                               read_timing_file(request.check, request.facts), request.runs);
  return study;
}

constexpr support::Named<StudyPart> part_texts[] = {
    {"recommended timing runs", StudyPart::next_runs}, {"an objective other than time", StudyPart::objective},
    {"a check against a run", StudyPart::check},       {"exact sums", StudyPart::exact_sum},
    {"a number of tasks per node", StudyPart::nodes},  {"two kinds of nodes", StudyPart::partitions},
    {"a sweep over totals", StudyPart::several_totals}};

Study study_by_external_solver(const StudyRequest& request) {
  const std::vector<std::int64_t> totals = totals_of(request);
  for (const StudyPart part : unsupported_parts(request))
    throw support::usage_error(
        fmt::format("{} cannot be used with an external solver", support::name_of(part_texts, part)));
  Study study = {.problem = request.problem,
                 .layout = {.name = request.layout},
                 .plan = request.plan,
                 .solver = request.layout,
                 .total = totals.front()};
  study.models = make_component_models(study.problem, study.plan.model, study.total);
  ExternalAnswer answer = run_external_solver(request.layout, study.problem, study.models, study.total);
  study.solution.time = answer.time;
  study.solution.places = std::move(answer.places);
  for (const Place& place : study.solution.places)
    study.solution.processors = std::max(study.solution.processors, place.root + place.processors);
  study.values = std::move(answer.values);
  if (!study.solution.places.empty()) study.left_out = left_out_components(study);
  return study;
}

}  // namespace

std::vector<CostTable> cost_tables(const Study& study) {
  if (is_external_solver(study.solver)) return {};
  return Planner(study.problem, study.layout, study.plan).layout_problem(study.total).tables;
}

std::vector<StudyPart> unsupported_parts(const StudyRequest& request) {
  if (!is_external_solver(request.layout)) return {};
  std::vector<StudyPart> parts;
  const auto add = [&](StudyPart part, bool requested) {
    if (requested) parts.push_back(part);
  };
  add(StudyPart::next_runs, request.needs_next_runs);
  add(StudyPart::objective, request.objective != "time");
  add(StudyPart::check, !request.check.empty());
  add(StudyPart::exact_sum, request.plan.exact_sum);
  add(StudyPart::nodes, request.plan.nodes.has_value());
  add(StudyPart::partitions, !request.plan.partitions.empty());
  add(StudyPart::several_totals, request.totals.size() > 1);
  return parts;
}

Study study(const StudyRequest& request) {
  if (is_external_solver(request.layout)) return study_by_external_solver(request);
  if (is_program(specified_layout(request)))
    throw Error(
        ErrorKind::bad_input,
        {.what = fmt::format("the layout {} in this file is a program: layouts in files must not be programs",
                             support::in_quotes(specified_layout(request))),
         .file = request.problem.path,
         .suggestion = "set the layout in the request to run it"});
  return study_by_planner(request);
}

Problem problem_with_question(const StudyRequest& request, const Study& study) {
  const std::vector<std::int64_t> totals = totals_of(request);
  Problem problem = request.problem;
  const std::string specified = specified_layout(request);
  const Layout& chosen = study.computed ? study.computed->layout : study.layout;
  problem.layout = specified.empty() ? chosen.name : specified;
  const PlanOptions& plan = request.plan;
  if (!plan.partitions.empty())
    problem.total_tasks.reset();
  else if (totals.size() == 1)
    problem.total_tasks = totals.front();
  if (const std::optional<Nodes>& nodes = plan.nodes) {
    problem.processors_per_node = nodes->processors_per_node;
    problem.shares_nodes = nodes->shared;
  }
  problem.kinds_of_nodes.clear();
  if (!plan.partitions.empty()) problem.processors_per_node.reset();
  for (const Partition& kind : plan.partitions) {
    problem.kinds_of_nodes.push_back({kind.name, kind.n_nodes, kind.nodes.tasks_per_node});
    problem.shares_nodes = kind.nodes.shared;
  }
  for (Component& component : problem.components) {
    const auto kind = plan.placed_on.find(component.name);
    component.on = kind == plan.placed_on.end() ? "" : kind->second;
  }
  return problem;
}

}  // namespace plimsoll::pelayout
