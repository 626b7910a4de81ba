#include "pelayout/analysis/layout_time.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

double maximum(double one, double other) {
  return std::max(one, other);
}

template <class Time>
Time time_of(const LayoutExpression& expression, const std::map<std::string, Time>& costs) {
  if (expression.kind == Kind::component) return costs.at(expression.component);
  Time time = time_of(expression.parts.front(), costs);
  for (std::size_t k = 1; k < expression.parts.size(); ++k) {
    const Time time_of_part = time_of(expression.parts[k], costs);
    time = expression.kind == Kind::sequence ? time + time_of_part : maximum(time, time_of_part);
  }
  return time;
}

/// Distributes slack to the parts of an expression. A sequential part gets the slack of the whole; a
/// concurrent part also gets the difference between its time and the time of the longest part.
void distribute(double slack, const LayoutExpression& expression, const ComponentCosts& costs,
                ComponentCosts& slacks) {
  if (expression.kind == Kind::component) slacks[expression.component] = slack;
  const double time = time_of(expression, costs);
  for (const LayoutExpression& part : expression.parts) {
    const double gap = expression.kind == Kind::side_by_side ? time - time_of(part, costs) : 0;
    distribute(slack + gap, part, costs, slacks);
  }
}

}  // namespace

ComponentCosts costs(const Solution& solution) {
  ComponentCosts costs;
  for (const Place& place : solution.places) costs[place.component] = place.cost;
  return costs;
}

double layout_time(const Layout& layout, const ComponentCosts& costs) {
  return time_of(layout.expression, costs) * (1 + layout.overhead) + layout.wait;
}

UncertainTime layout_time(const Layout& layout, const UncertainCosts& costs) {
  return with_overhead(layout, time_of(layout.expression, costs));
}

UncertainTime with_overhead(const Layout& layout, const UncertainTime& time) {
  const double factor = 1 + layout.overhead;
  return {time.mean * factor + layout.wait, time.variance * factor * factor};
}

ComponentCosts slack(const LayoutExpression& expression, const ComponentCosts& costs) {
  ComponentCosts slacks;
  distribute(0, expression, costs, slacks);
  const double rounding = 1e-12 * time_of(expression, costs);
  for (auto& [component, slack_of_component] : slacks) {
    if (slack_of_component <= rounding) slack_of_component = 0;
  }
  return slacks;
}

}  // namespace plimsoll::pelayout
