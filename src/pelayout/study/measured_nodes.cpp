#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/pelayout/measured_nodes.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/models/models.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns the minimum number of whole nodes that a part of a layout needs.
struct MinimumNodes {
  const Problem& problem;
  const Layout& layout;
  const Nodes& nodes;

  std::int64_t of(const LayoutExpression& part) const {
    if (part.kind == LayoutExpression::Kind::component) return of_component(part.component);
    std::int64_t all = 0;
    for (const LayoutExpression& child : part.parts)
      all = part.kind == LayoutExpression::Kind::sequence ? std::max(all, of(child)) : all + of(child);
    return all;
  }

  std::int64_t of_component(const std::string& name) const {
    const Component* const component = problem.find(name);
    const ComponentRule& rule = layout.rule(name);
    const std::int64_t block_size =
        rule.block_size.value_or(component == nullptr ? 1 : component->block_size);
    const std::int64_t tasks = minimum_admitted_task_count(rule, block_size).value_or(1);
    return nodes.count(std::min(tasks, max_count));
  }
};

bool has_threads_that_divide(const Component& component, std::int64_t processors_per_node) {
  return component.samples.empty() || std::ranges::any_of(component.samples, [&](const Sample& sample) {
           return processors_per_node % sample.threads == 0;
         });
}

/// Explains why threads do not suit a node; empty if they do.
std::string why_threads_do_not_fit(const Problem& problem, std::int64_t processors_per_node) {
  for (const Component& component : problem.components) {
    const auto fits = [&](const Sample& sample) { return sample.threads <= processors_per_node; };
    if (threads_vary(problem) ? !has_threads_that_divide(component, processors_per_node)
                              : !std::ranges::all_of(component.samples, fits))
      return fmt::format("the threads of a task of {} do not fit", component.name);
  }
  return "";
}

/// Explains why nodes do not suit the totals of a request; empty if they do.
std::string why_totals_do_not_fit(const StudyRequest& request, const Nodes& nodes) {
  for (const std::int64_t total : request.totals)
    if (total % nodes.tasks_per_node != 0)
      return fmt::format("the total {} is not a whole number of nodes", count_text(total));
  const Layout layout = requested_layout(request);
  const std::int64_t needed = MinimumNodes{request.problem, layout, nodes}.of(layout.expression);
  const std::int64_t available = nodes.count(request.totals.back());
  if (available >= needed) return "";
  return fmt::format("the layout needs {} nodes, but the total has {}", count_text(needed),
                     count_text(available));
}

MeasuredNodes ignored(const TasksPerNode& measured, const std::string& why) {
  return {.nodes = {},
          .remark = fmt::format("nodes of {} tasks, from {}, are ignored: {}", count_text(measured.tasks),
                                measured.source, why)};
}

}  // namespace

MeasuredNodes measured_nodes(const StudyRequest& request) {
  if (is_external_solver(request.layout) || request.plan.exact_sum || request.plan.model == ModelKind::cime ||
      request.totals.empty())
    return {};
  std::optional<TasksPerNode> measured;
  try {
    measured = find_tasks_per_node(request.runs);
  } catch (const Error& error) {
    return {.nodes = {}, .remark = fmt::format("nodes are ignored: {}", error.what())};
  }
  if (!measured) return {};
  if (const std::string why = why_threads_do_not_fit(request.problem, measured->tasks); !why.empty())
    return ignored(*measured, why);
  const Nodes nodes = make_nodes(request.problem, measured->tasks, false);
  if (const std::string why = why_totals_do_not_fit(request, nodes); !why.empty())
    return ignored(*measured, why);
  return {.nodes = nodes,
          .remark = fmt::format("{} tasks per node, from {}", count_text(measured->tasks), measured->source)};
}

}  // namespace plimsoll::pelayout
