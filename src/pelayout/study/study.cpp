#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/analysis/alternative_layouts.hpp"
#include "pelayout/analysis/estimator.hpp"
#include "pelayout/layout/default_layout.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr const char* layout_of_cime = "IceLndAtmOcn";
constexpr std::int64_t totals_to_choose_from = 64;

/// Maximum number of table entries if the total comes from a file and not from the user. Building them takes
/// a fraction of a second.
constexpr std::size_t max_entries_chosen_by_file = 1'000'000;

/// Returns the layout that the request or its problem specifies; empty if neither does.
std::string specified_layout(const StudyRequest& request) {
  return !request.layout.empty() ? request.layout : request.problem.layout.value_or("");
}

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

/// Finds the layout that a problem's file specifies. An Error names the file, and is not one of usage.
Layout layout_in_file(const std::string& layout, const Problem& problem) {
  try {
    return find_layout(layout, problem.component_names());
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    if (diagnostic.file.empty()) diagnostic.file = problem.path;
    throw Error(error.kind() == ErrorKind::usage ? ErrorKind::bad_input : error.kind(),
                std::move(diagnostic));
  }
}

Layout chosen_layout(const StudyRequest& request) {
  const Problem& problem = request.problem;
  if (!request.layout.empty()) return find_layout(request.layout, problem.component_names());
  if (problem.layout && !problem.layout->empty()) return layout_in_file(*problem.layout, problem);
  if (request.plan.model == ModelKind::cime) return find_layout(layout_of_cime, problem.component_names());
  return default_layout(problem);
}

/// Returns whether a request is to give the same answer as CIME's tool.
bool reproduces_cime(const StudyRequest& request) {
  return request.plan.exact_sum || request.plan.model == ModelKind::cime;
}

bool was_measured_once(const Component& component) {
  return std::ranges::adjacent_find(component.samples, std::not_equal_to{}, &Sample::tasks) ==
         component.samples.end();
}

/// Limits components to their maximum measured count. More tasks save nothing of cheap components, and models
/// fail on more tasks than their grid has cells. How components scale that were measured on one count only is
/// unknown, and no reason to change it while the counts of others vary. Components with rules of their own
/// are not limited.
void limit_to_measured_counts(const Problem& problem, Layout& layout) {
  const bool counts_vary = !std::ranges::all_of(problem.components, was_measured_once);
  for (const std::string& name : components(layout.expression)) {
    const Component* const component = problem.find(name);
    if (component == nullptr || component->samples.empty() || layout.rules.contains(name)) continue;
    if (!is_cheap(problem, name) && !(counts_vary && was_measured_once(*component))) continue;
    const std::int64_t maximum = std::ranges::max(component->samples, {}, &Sample::tasks).tasks;
    if (maximum >= component->block_size) layout.rules[name].maximum = maximum;
  }
}

/// Returns the plan of a request, with smaller tables if the problem's file chose the total.
PlanOptions plan_of(const StudyRequest& request) {
  PlanOptions plan = request.plan;
  if (request.totals.empty()) plan.max_entries = std::min(plan.max_entries, max_entries_chosen_by_file);
  return plan;
}

/// Returns whether the study may use another layout than the usual one.
bool may_choose_layout(const StudyRequest& request) {
  return request.analysis && specified_layout(request).empty() && !reproduces_cime(request);
}

/// Returns the expected time of a layout on each total; empty if it does not fit.
std::vector<std::optional<ExpectedTime>> expected_times(const StudyRequest& request, const Layout& layout,
                                                        const std::vector<std::int64_t>& totals) {
  const Planner planner(request.problem, layout, plan_of(request));
  Estimator estimator(planner, {known_runs(planner, request.runs).reproductions, {}});
  const std::vector<std::optional<Solution>> solutions = planner.solve_each(totals);
  std::vector<std::optional<ExpectedTime>> times(totals.size());
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (solutions[k]) times[k] = estimator.expected(*solutions[k], totals[k]);
  return times;
}

/// Layouts of several totals.
struct LayoutChoice {
  std::vector<Layout> layouts;
  std::vector<std::size_t> of_total;  ///< index into the layouts, one per total
};

/// Chooses the layout of each total. If the request specifies none, an alternative replaces the usual layout
/// if it is expected to be faster by worthwhile_gain, and the upper end of its range is not higher.
LayoutChoice best_layouts(const StudyRequest& request, const std::vector<std::int64_t>& totals) {
  LayoutChoice choice = {{requested_layout(request)}, std::vector<std::size_t>(totals.size())};
  if (!may_choose_layout(request)) return choice;
  const double unlimited = std::numeric_limits<double>::infinity();
  const auto usual = expected_times(request, choice.layouts.front(), totals);
  std::vector<double> best(totals.size(), unlimited);
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (usual[k]) best[k] = (1 - worthwhile_gain) * usual[k]->time;
  for (const Layout& alternative : alternative_layouts(requested_layout(request), request.problem.coupler)) {
    const auto others = expected_times(request, alternative, totals);
    for (std::size_t k = 0; k < totals.size(); ++k) {
      const double highest = usual[k] ? usual[k]->range.max : unlimited;
      if (!others[k] || others[k]->time >= best[k] || others[k]->range.max > highest) continue;
      best[k] = others[k]->time;
      choice.of_total[k] = choice.layouts.size();
    }
    choice.layouts.push_back(alternative);
  }
  return choice;
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
  if (!study.solution.places.empty())
    study.expected = Estimator(planner, runs).expected(study.solution, study.total);
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
    {"a number of tasks per node", StudyPart::nodes},  {"a sweep over totals", StudyPart::several_totals}};

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

const ComponentModel* Study::model(const std::string& component) const {
  return find_model(models, component);
}

double Study::time() const {
  return expected ? expected->time : solution.time;
}

double Study::core_hours() const {
  return pelayout::core_hours(
      time(), reserved_processors(solution, is_own_kept ? own->total : total, counts_threads));
}

double Study::core_hours(const Solution& of, double its_time, std::int64_t tasks) const {
  return pelayout::core_hours(its_time, reserved_processors(of, tasks, counts_threads));
}

double Study::waiting_core_hours(std::size_t k) const {
  const Place& place = solution.places.at(k);
  return pelayout::core_hours(sensitivity->components.at(k).waiting, place.tasks * place.threads);
}

const Alternative* Study::faster_layout() const {
  constexpr double rounding = 0.001;
  if (keeps_own_layout() || !sensitivity || !expected || expected->time <= 0 ||
      sensitivity->alternatives.empty())
    return nullptr;
  const Alternative& best = sensitivity->alternatives.front();
  return best.expected.time > std::min(expected->range.min, (1 - rounding) * expected->time) ? nullptr : &best;
}

std::vector<ModelWarning> Study::model_warnings() const {
  std::vector<ModelWarning> warnings;
  const auto add = [&](const std::string& component, Diagnostic warning) {
    if (const std::string prefix = component + ": "; warning.what.starts_with(prefix))
      warning.what.erase(0, prefix.size());
    auto known = std::ranges::find_if(warnings, [&](const ModelWarning& other) {
      return other.warning.what == warning.what && other.warning.suggestion == warning.suggestion;
    });
    if (known == warnings.end()) known = warnings.insert(known, {{}, std::move(warning)});
    if (known->components.empty() || known->components.back() != component)
      known->components.push_back(component);
  };
  for (const Place& place : solution.places) {
    const ComponentModel* used = model(place.component);
    if (used == nullptr) continue;
    for (const auto& [threads, scaling] : used->by_threads)
      for (const Diagnostic& warning : scaling->warnings()) add(place.component, warning);
  }
  return warnings;
}

Layout requested_layout(const StudyRequest& request) {
  Layout layout = chosen_layout(request);
  if (!reproduces_cime(request)) limit_to_measured_counts(request.problem, layout);
  for (auto& [component, rule] : layout.rules)
    if (request.block_sizes.contains(component)) rule.block_size = request.block_sizes.at(component);
  return layout;
}

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
  add(StudyPart::nodes, request.plan.nodes.has_value() || !request.plan.partitions.empty());
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

Problem problem_with_question(const StudyRequest& request) {
  const std::vector<std::int64_t> totals = totals_of(request);
  Problem problem = request.problem;
  const std::string specified = specified_layout(request);
  problem.layout = specified.empty() ? chosen_layout(request).name : specified;
  const PlanOptions& plan = request.plan;
  if (totals.size() == 1 && plan.partitions.empty()) problem.total_tasks = totals.front();
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
