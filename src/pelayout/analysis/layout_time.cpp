#include "pelayout/analysis/layout_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include <plimsoll/support/contract.hpp>

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

const ComponentTiming& timing_of(const TimingFile& run, const std::string& component) {
  const ComponentTiming* const found = run.find(component);
  PLIMSOLL_EXPECT(found != nullptr);
  return *found;
}

/// Returns whether two components share ranks. Components with the same stride may interleave; otherwise
/// their ranges are compared.
bool share_ranks(const ComponentTiming& one, const ComponentTiming& other) {
  const bool apart =
      end_rank(one) <= static_cast<double>(other.root) || end_rank(other) <= static_cast<double>(one.root);
  const bool interleaved =
      one.stride == other.stride && one.stride > 1 && (one.root - other.root) % one.stride != 0;
  return !apart && !interleaved;
}

/// Returns the first components of two parts that share ranks.
std::vector<std::string> sharing(const LayoutExpression& one, const LayoutExpression& other,
                                 const TimingFile& run) {
  for (const std::string& first : components(one))
    for (const std::string& second : components(other))
      if (share_ranks(timing_of(run, first), timing_of(run, second))) return {first, second};
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

double end_rank(const ComponentTiming& timing) {
  const double stride = static_cast<double>(std::max<std::int64_t>(timing.stride, 1));
  return static_cast<double>(timing.root) + static_cast<double>(timing.tasks - 1) * stride + 1;
}

std::vector<std::string> contradictions(const LayoutExpression& expression, const TimingFile& run) {
  std::vector<std::string> found;
  check(expression, run, found);
  return found;
}

UncertainTime time_in_run(const LayoutExpression& expression, const UncertainCosts& costs,
                          const TimingFile& run) {
  if (expression.kind == Kind::component) return cost_of(expression.component, costs);
  struct Group {
    std::vector<const LayoutExpression*> parts;
    UncertainTime time;
  };
  std::vector<Group> groups;  // parts that run one after another
  for (const LayoutExpression& part : expression.parts) {
    Group joined{{&part}, time_in_run(part, costs, run)};
    const auto meets = [&](const Group& group) {
      return expression.kind == Kind::sequence || std::ranges::any_of(group.parts, [&](const auto* other) {
               return !sharing(*other, part, run).empty();
             });
    };
    for (const Group& group : groups) {
      if (!meets(group)) continue;
      joined.parts.insert(joined.parts.end(), group.parts.begin(), group.parts.end());
      joined.time = group.time + joined.time;
    }
    std::erase_if(groups, meets);
    groups.push_back(std::move(joined));
  }
  UncertainTime time = groups.front().time;
  for (const Group& group : std::span(groups).subspan(1)) time = maximum(time, group.time);
  return time;
}

}  // namespace plimsoll::pelayout
