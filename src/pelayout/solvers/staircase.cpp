#include "pelayout/solvers/staircase.hpp"

#include <limits>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

std::size_t steps_of(std::span<const Staircase* const> parts) {
  std::size_t steps = 0;
  for (const Staircase* part : parts) steps += part->at.size();
  return steps;
}

}  // namespace

Staircase staircase_of(const CostTable& table) {
  Staircase stairs(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) stairs.add(table.processors[k], table.cost[k]);
  return stairs;
}

Staircase in_sequence(std::span<const Staircase* const> parts) {
  Staircase stairs(steps_of(parts));
  std::vector<std::size_t> step(parts.size(), 0);
  std::int64_t processors = 0;
  for (const Staircase* part : parts) {
    if (part->empty()) return {};
    processors = std::max(processors, part->at.front());
  }
  while (processors < std::numeric_limits<std::int64_t>::max()) {
    double time = 0;
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::vector<std::int64_t>& at = parts[k]->at;
      while (step[k] + 1 < at.size() && at[step[k] + 1] <= processors) ++step[k];
      time += parts[k]->time[step[k]];
      if (step[k] + 1 < at.size()) next = std::min(next, at[step[k] + 1]);
    }
    stairs.add(processors, time);
    processors = next;
  }
  return stairs;
}

Staircase in_sequence_within(const CostTable& table, std::span<const Staircase* const> others) {
  Staircase stairs(table.size());
  const Staircase rest = in_sequence(others);
  std::size_t step = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    while (step < rest.at.size() && rest.at[step] <= table.processors[k]) ++step;
    if (step > 0) stairs.add(table.processors[k], table.cost[k] + rest.time[step - 1]);
  }
  return stairs;
}

Staircase side_by_side(std::span<const Staircase* const> parts, std::int64_t total) {
  Staircase stairs(steps_of(parts));
  std::vector<std::size_t> step(parts.size(), 0);
  std::int64_t processors = 0;
  for (const Staircase* part : parts) {
    if (part->empty()) return {};
    processors += part->at.front();
  }
  while (processors <= total) {
    double slowest = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) slowest = std::max(slowest, parts[k]->time[step[k]]);
    stairs.add(processors, slowest);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k]->time[step[k]] < slowest) continue;
      if (step[k] + 1 == parts[k]->at.size()) return stairs;
      processors += parts[k]->at[step[k] + 1] - parts[k]->at[step[k]];
      ++step[k];
    }
  }
  return stairs;
}

}  // namespace plimsoll::pelayout
