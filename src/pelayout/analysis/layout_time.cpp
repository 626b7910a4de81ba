#include "pelayout/analysis/layout_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/contract.hpp>

#include "pelayout/analysis/run_arrangement.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

double maximum(double one, double other) {
  return std::max(one, other);
}

template <class Time>
const Time& cost_of(const std::string& component, const std::map<std::string, Time>& costs) {
  const auto found = costs.find(component);
  PLIMSOLL_EXPECT(found != costs.end());
  return found->second;
}

template <class Time>
Time time_of(const LayoutExpression& expression, const std::map<std::string, Time>& costs) {
  if (expression.kind == Kind::component) return cost_of(expression.component, costs);
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

/// Returns the component of a part with the most processors; the first one wins a tie.
std::string widest_component(const LayoutExpression& part, const Solution& solution) {
  return std::ranges::max(components(part), {}, [&](const std::string& name) {
    const Place* const place = solution.find(name);
    PLIMSOLL_EXPECT(place != nullptr);
    return place->processors;
  });
}

void add_waits(const LayoutExpression& expression, const ComponentCosts& costs, const Solution& solution,
               ComponentCosts& waits) {
  const double time = time_of(expression, costs);
  for (const LayoutExpression& part : expression.parts) {
    if (expression.kind == Kind::side_by_side)
      waits[widest_component(part, solution)] += time - time_of(part, costs);
    add_waits(part, costs, solution, waits);
  }
}

const ComponentTiming& timing_of(const TimingFile& run, const std::string& component) {
  const ComponentTiming* const found = run.find(component);
  PLIMSOLL_EXPECT(found != nullptr);
  return *found;
}

/// Returns the first components of two parts that share ranks.
std::vector<std::string> sharing(const LayoutExpression& one, const LayoutExpression& other,
                                 const TimingFile& run) {
  for (const std::string& first : components(one))
    for (const std::string& second : components(other))
      if (shared_ranks(timing_of(run, first), timing_of(run, second)) > 0) return {first, second};
  return {};
}

void check(const LayoutExpression& expression, const TimingFile& run, std::vector<std::string>& found) {
  for (std::size_t k = 0; k < expression.parts.size(); ++k) {
    const LayoutExpression& part = expression.parts[k];
    check(part, run, found);
    for (std::size_t before = 0; before < k; ++before) {
      const LayoutExpression& other = expression.parts[before];
      const std::vector<std::string> shared = sharing(other, part, run);
      if (expression.kind == Kind::side_by_side && !shared.empty()) {
        found.push_back(fmt::format("{} and {} share ranks in the run, but the layout runs them concurrently",
                                    shared[0], shared[1]));
      } else if (expression.kind == Kind::sequence && shared.empty()) {
        found.push_back(
            fmt::format("{} and {} share no ranks in the run, but the layout runs them sequentially",
                        to_string(other), to_string(part)));
      }
    }
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
  for (auto& [component, slack_of_component] : slacks)
    if (slack_of_component <= rounding) slack_of_component = 0;
  return slacks;
}

ComponentCosts waiting(const LayoutExpression& expression, const Solution& solution,
                       const ComponentCosts& times) {
  ComponentCosts waits;
  for (const std::string& name : components(expression)) waits[name] = 0;
  add_waits(expression, times, solution, waits);
  return waits;
}

std::vector<std::string> contradictions(const LayoutExpression& expression, const TimingFile& run) {
  std::vector<std::string> found;
  check(expression, run, found);
  return found;
}

}  // namespace plimsoll::pelayout
