#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/analysis/alternative_layouts.hpp"
#include "pelayout/analysis/layout_time.hpp"
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

void choose_total(const Planner& planner, const std::vector<std::int64_t>& totals, const KnownRuns* runs,
                  const std::string& objective, Study& study) {
  TotalChoice choice = {.sweep = sweep(planner, totals, runs), .objective = objective};
  const auto chosen = best(choice.sweep, parse_objective(objective));
  study.total = chosen ? choice.sweep.points[*chosen].total : totals.back();
  choice.chosen = chosen.value_or(0);
  study.choice = std::move(choice);
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

/// Limits cheap components to their maximum measured count: more tasks save nothing, and models fail on more
/// tasks than their grid has cells. Components with rules of their own are not limited.
void limit_cheap_components(const Problem& problem, Layout& layout) {
  for (const std::string& name : components(layout.expression)) {
    const Component* const component = problem.find(name);
    if (component == nullptr || layout.rules.contains(name) || !is_cheap(problem, name)) continue;
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
  return request.analysis && specified_layout(request).empty() && request.plan.partitions.empty() &&
         !reproduces_cime(request);
}

/// Returns the layout of a request. If it specifies none, an alternative replaces the usual layout if it is
/// expected to be faster by worthwhile_gain on the largest total, and the upper end of its range is not
/// higher.
Layout best_layout(const StudyRequest& request, std::int64_t total) {
  Layout layout = requested_layout(request);
  if (!may_choose_layout(request)) return layout;
  const auto expected = [&](const Layout& candidate) -> std::optional<ExpectedTime> {
    const Planner planner(request.problem, candidate, plan_of(request));
    const std::optional<Solution> solution = planner.solve_each({total}).front();
    if (!solution) return std::nullopt;
    return expected_time(uncertain_time(planner, *solution, total), reproduce(planner, request.runs), total);
  };
  const std::optional<ExpectedTime> usual = expected(layout);
  const double unlimited = std::numeric_limits<double>::infinity();
  double best = usual ? (1 - worthwhile_gain) * usual->time : unlimited;
  const double highest = usual ? usual->range.max : unlimited;
  for (const Layout& alternative : alternative_layouts(layout)) {
    const std::optional<ExpectedTime> other = expected(alternative);
    if (!other || other->time >= best || other->range.max > highest) continue;
    best = other->time;
    layout = alternative;
  }
  return layout;
}

KnownRuns known_runs(const Planner& planner, std::span<const TimingFile> runs) {
  return {reproduce(planner, runs), own_layouts(planner, runs)};
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
  // The size of a run is a number of tasks, which does not compare nodes of two kinds.
  const bool has_kinds = !request.plan.partitions.empty();
  if (!study.solution.places.empty())
    study.expected = expected_time(study.solution, uncertain_time(planner, study.solution, study.total),
                                   has_kinds ? KnownRuns{} : runs, study.total);
  compare_with_own_layout(request, runs, study);
  const Planner of_layout(study.problem, study.layout, study.plan);
  study.sensitivity = analyse(of_layout, study.solution, study.total);
  study.next_runs = next_runs(of_layout, study.solution, study.total);
  // The first run is the layout itself, which was measured if it is kept.
  if (study.is_own_kept) study.next_runs->runs.erase(study.next_runs->runs.begin());
}

Study study_by_planner(const StudyRequest& request) {
  const std::vector<std::int64_t> totals = candidates(request);
  const Planner planner(request.problem, best_layout(request, totals.back()), plan_of(request));
  Study study = {.problem = request.problem,
                 .layout = planner.layout(),
                 .plan = planner.options(),
                 .solver = support::name_of(solver_kinds, request.plan.solver),
                 .counts_threads = planner.counts_threads()};
  const KnownRuns runs = known_runs(planner, request.runs);
  if (totals.size() > 1) {
    const KnownRuns calibration = {runs.reproductions, {}};
    const KnownRuns* const known = may_choose_layout(request) ? &runs : &calibration;
    choose_total(planner, totals, request.analysis ? known : nullptr, request.objective, study);
  } else {
    study.total = totals.front();
  }
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

constexpr double min_share_of_time = 0.01;
constexpr double min_doublings = 1.0 / 3;

std::vector<std::int64_t> admitted_counts(const CostTable& table, std::int64_t threads) {
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < table.size(); ++k)
    if (table.threads.empty() || table.threads[k] == threads) counts.push_back(table.tasks_of(k));
  return counts;
}

/// Returns a count below a component's count and one above it, unless they are close to known counts. Each is
/// halfway to the next measured count. If no further count was measured, the next one is assumed two
/// doublings away.
std::vector<std::int64_t> counts_nearby(std::int64_t own, const std::vector<std::int64_t>& measured,
                                        const std::vector<std::int64_t>& admitted) {
  std::vector<std::int64_t> counts;
  const auto add = [&](double other) {
    const std::int64_t middle = std::llround(std::sqrt(static_cast<double>(own) * other));
    const auto near = [&](std::int64_t count) { return doublings(count, std::max<std::int64_t>(middle, 1)); };
    const auto count = std::ranges::min_element(admitted, {}, near);
    const auto known = [&](std::int64_t other_count) {
      return doublings(*count, other_count) < min_doublings - 1e-9;
    };
    if (count == admitted.end() || known(own) || std::ranges::any_of(measured, known)) return;
    counts.push_back(*count);
  };
  const auto below = std::ranges::lower_bound(measured, own);
  const auto above = std::ranges::upper_bound(measured, own);
  add(below == measured.begin() ? static_cast<double>(own) / 4 : static_cast<double>(*std::prev(below)));
  add(above == measured.end() ? static_cast<double>(own) * 4 : static_cast<double>(*above));
  return counts;
}

class RunFinder {
 public:
  RunFinder(const Planner& planner, const Solution& solution, std::int64_t total)
      : planner_(planner), solution_(solution), total_(total) {}

  NextRuns find(std::size_t max_runs) {
    weigh_counts();
    if (max_runs > 0) result_.runs.push_back(layout_run());
    for (std::size_t number = 0; result_.runs.size() < max_runs && any_left(number); ++number)
      result_.runs.push_back(sequential_run(number));
    return std::move(result_);
  }

 private:
  void weigh_counts() {
    const std::vector<ComponentModel> models = planner_.models(total_);
    const ComponentCosts slacks = slack(planner_.layout().expression, costs(solution_));
    for (const CostTable& table : planner_.layout_problem(total_).tables) {
      const Place& place = *solution_.find(table.component);
      const Uncertainty uncertainty(*planner_.problem().find(place.component), place.threads,
                                    *find_model(models, place.component, place.threads));
      const auto weigh = [&](std::int64_t tasks) {
        const double felt = uncertainty.share(tasks) * place.cost - slacks.at(place.component);
        return WorthMeasuring{place.component, tasks, place.threads, felt * (1 + planner_.layout().overhead),
                              uncertainty.reason(tasks)};
      };
      keep(weigh(place.tasks));
      std::vector<WorthMeasuring>& nearby = nearby_[place.component];
      for (const std::int64_t tasks :
           counts_nearby(place.tasks, uncertainty.measured(), admitted_counts(table, place.threads)))
        if (keep(weigh(tasks))) nearby.push_back(result_.counts.back());
      std::ranges::stable_sort(nearby, std::ranges::greater{}, &WorthMeasuring::doubt);
    }
    std::ranges::stable_sort(result_.counts, std::ranges::greater{}, &WorthMeasuring::doubt);
  }

  bool keep(WorthMeasuring count) {
    if (count.doubt <= 0 || count.doubt < min_share_of_time * solution_.time) return false;
    result_.counts.push_back(std::move(count));
    return true;
  }

  bool any_left(std::size_t number) const {
    return std::ranges::any_of(nearby_, [&](const auto& entry) { return entry.second.size() > number; });
  }

  PesEntry layout_run() const {
    PesEntry entry = to_pes(planner_.problem(), solution_, fmt::format("best_{}", total_));
    entry.comment = fmt::format("{}: {}", to_string(planner_.layout().expression), entry.comment);
    return entry;
  }

  PesEntry sequential_run(std::size_t number) const {
    Solution run = solution_;
    for (Place& place : run.places) {
      place.root = solution_.partitions.empty() ? 0 : first_processor(solution_.partitions, place.partition);
      const std::vector<WorthMeasuring>& counts = nearby_.at(place.component);
      if (number >= counts.size()) continue;
      place.processors = place.processors / place.tasks * counts[number].tasks;
      place.tasks = counts[number].tasks;
    }
    PesEntry entry = to_pes(planner_.problem(), run, fmt::format("sequence_{}_{}", total_, number + 1));
    entry.comment = "all components in sequence, with recommended task counts";
    return entry;
  }

  const Planner& planner_;
  const Solution& solution_;
  std::int64_t total_;
  std::map<std::string, std::vector<WorthMeasuring>> nearby_;  // candidates except counts of the solution
  NextRuns result_;
};

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

double Study::core_hours(const Solution& of, std::int64_t tasks) const {
  return pelayout::core_hours(of.time, reserved_processors(of, tasks, counts_threads));
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
  const double certain = std::min(expected->range.min / expected->time, 1 - rounding);
  return best.solution.time > certain * solution.time ? nullptr : &best;
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
  if (!reproduces_cime(request)) limit_cheap_components(request.problem, layout);
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
  if (totals.size() == 1) problem.total_tasks = totals.front();
  if (const std::optional<Nodes>& nodes = request.plan.nodes) {
    problem.processors_per_node = nodes->processors_per_node;
    problem.shares_nodes = nodes->shared;
  }
  return problem;
}

NextRuns next_runs(const Planner& planner, const Solution& solution, std::int64_t total,
                   std::size_t max_runs) {
  return RunFinder(planner, solution, total).find(max_runs);
}

}  // namespace plimsoll::pelayout
