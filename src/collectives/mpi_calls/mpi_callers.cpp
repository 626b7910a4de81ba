#include <algorithm>
#include <functional>
#include <map>

#include <plimsoll/collectives/internal/python_code.hpp>
#include <plimsoll/collectives/mpi_callers.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using Stacks = std::vector<const MpiCalls::Stack*>;

/// Whether a caller is the first of several in Python code: the functions inside of it belong to a module
/// such as mpi4py, and tell users little.
bool is_innermost_in_python(std::size_t level, const Stacks& stacks) {
  const std::vector<std::string>& locations = stacks.front()->locations;
  return is_python_code(locations[level]) && (level == 0 || !is_python_code(locations[level - 1]));
}

/// Returns the sum of two values; nothing if one of them is unknown.
template <class Value>
std::optional<Value> sum_of(std::optional<Value> a, std::optional<Value> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

/// Returns the callers from a level on, at the first one at which they differ or Python code begins.
std::vector<Caller> callers_from(std::size_t level, const Stacks& stacks) {
  std::map<std::string_view, Stacks> by_location;
  for (const MpiCalls::Stack* const stack : stacks)
    if (level < stack->locations.size()) by_location[stack->locations[level]].push_back(stack);
  if (by_location.empty()) return {};
  const Stacks& first = by_location.begin()->second;
  if (by_location.size() == 1 && !is_innermost_in_python(level, first)) return callers_from(level + 1, first);
  std::vector<Caller> callers;
  for (const auto& [location, own] : by_location) {
    Caller& caller = callers.emplace_back(
        Caller{.location = std::string(location), .bytes = 0, .waited_s = 0, .callers = {}});
    for (const MpiCalls::Stack* const stack : own) {
      caller.calls += stack->calls;
      caller.time_s += stack->time_s;
      caller.bytes = sum_of(caller.bytes, sum_of(stack->sent_bytes, stack->received_bytes));
      caller.waited_s = sum_of(caller.waited_s, stack->waited_s);
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
  std::string name = short_location(site.location);
  const std::vector<Caller> callers = callers_of(site);
  if (callers.empty() || callers.front().time_s <= 0.5 * site.time_s) return name;
  const std::string caller = short_location(callers.front().location);
  if (!is_python_code(callers.front().location)) return name + ", mostly called from " + caller;
  return callers.front().calls == site.calls ? caller : "mostly " + caller;
}

}  // namespace plimsoll::collectives
