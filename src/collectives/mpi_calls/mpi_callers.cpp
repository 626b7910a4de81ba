#include <algorithm>
#include <functional>
#include <map>

#include <plimsoll/collectives/mpi_callers.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using Stacks = std::vector<const MpiCalls::Stack*>;

/// Returns the callers from a level on, at the first one at which they differ.
std::vector<Caller> callers_from(std::size_t level, const Stacks& stacks) {
  std::map<std::string_view, Stacks> by_location;
  for (const MpiCalls::Stack* const stack : stacks)
    if (level < stack->locations.size()) by_location[stack->locations[level]].push_back(stack);
  if (by_location.empty()) return {};
  if (by_location.size() == 1) return callers_from(level + 1, by_location.begin()->second);
  std::vector<Caller> callers;
  for (const auto& [location, own] : by_location) {
    Caller& caller = callers.emplace_back(Caller{.location = std::string(location), .callers = {}});
    for (const MpiCalls::Stack* const stack : own) {
      caller.calls += stack->calls;
      caller.time_s += stack->time_s;
    }
    caller.callers = callers_from(level + 1, own);
  }
  std::ranges::stable_sort(callers, std::greater(), &Caller::time_s);
  return callers;
}

}  // namespace

std::vector<Caller> callers_of(const MpiCalls::Site& site) {
  Stacks stacks;
  for (const MpiCalls::Stack& stack : site.callers) stacks.push_back(&stack);
  return callers_from(0, stacks);
}

std::string name_with_caller(const MpiCalls::Site& site) {
  const std::string name = short_location(site.location);
  const std::vector<Caller> callers = callers_of(site);
  if (callers.empty() || callers.front().time_s <= 0.5 * site.time_s) return name;
  return name + ", mostly called from " + short_location(callers.front().location);
}

}  // namespace plimsoll::collectives
