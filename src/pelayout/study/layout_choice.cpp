#include "pelayout/study/layout_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pelayout/analysis/alternative_layouts.hpp"
#include "pelayout/analysis/estimator.hpp"
#include "pelayout/layout/default_layout.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr const char* layout_of_cime = "IceLndAtmOcn";
/// Maximum number of table entries if the total comes from a file and not from the user. Building them takes
/// a fraction of a second.
constexpr std::size_t max_entries_chosen_by_file = 1'000'000;

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

/// Returns the first part of a layout that runs components in sequence, or null without one.
const LayoutExpression* first_sequence(const LayoutExpression& expression) {
  if (expression.kind == LayoutExpression::Kind::sequence) return &expression;
  for (const LayoutExpression& part : expression.parts)
    if (const LayoutExpression* const found = first_sequence(part)) return found;
  return nullptr;
}

/// Returns the expected time of a layout on each total; empty if it does not fit.
std::vector<std::optional<ExpectedTime>> expected_times(const StudyRequest& request, const Layout& layout,
                                                        const std::vector<std::int64_t>& totals) {
  const Planner planner(request.problem, layout, plan_of(request));
  Estimator estimator(planner, {known_runs(planner, request.runs).reproductions, {}});
  const std::vector<std::optional<Solution>> solutions = planner.solve_each(totals);
  std::vector<std::optional<ExpectedTime>> times(totals.size());
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (solutions[k]) times[k] = estimator.best(*solutions[k], totals[k]).expected;
  return times;
}

}  // namespace

std::string specified_layout(const StudyRequest& request) {
  return !request.layout.empty() ? request.layout : request.problem.layout.value_or("");
}

PlanOptions plan_of(const StudyRequest& request) {
  PlanOptions plan = request.plan;
  if (request.totals.empty()) plan.max_entries = std::min(plan.max_entries, max_entries_chosen_by_file);
  return plan;
}

bool may_choose_layout(const StudyRequest& request) {
  return request.analysis && specified_layout(request).empty() && !reproduces_cime(request);
}

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

std::optional<Diagnostic> warn_of_sequence(const StudyRequest& request) {
  if (request.problem.coupler != Coupler::oasis || is_program(specified_layout(request))) return std::nullopt;
  const LayoutExpression layout = requested_layout(request).expression;
  const LayoutExpression* const sequence = first_sequence(layout);
  if (sequence == nullptr) return std::nullopt;
  return Diagnostic{.severity = Severity::warning,
                    .check = "sequence",
                    .what = fmt::format("the layout runs {} in sequence on the same tasks: OASIS runs them "
                                        "concurrently, on separate tasks",
                                        to_string(*sequence)),
                    .suggestion = fmt::format("use --layout '{}' to compute task counts for OASIS",
                                              to_string(concurrent_arrangement(components(layout))))};
}

Layout requested_layout(const StudyRequest& request) {
  Layout layout = chosen_layout(request);
  if (!reproduces_cime(request)) limit_to_measured_counts(request.problem, layout);
  for (auto& [component, rule] : layout.rules)
    if (request.block_sizes.contains(component)) rule.block_size = request.block_sizes.at(component);
  return layout;
}

}  // namespace plimsoll::pelayout
