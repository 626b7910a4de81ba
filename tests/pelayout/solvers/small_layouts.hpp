#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the table that a test specifies.
inline CostTable table(const std::string& component, std::vector<std::int64_t> processors,
                       std::vector<double> cost, std::int64_t block_size = 1) {
  CostTable result;
  result.component = component;
  result.block_size = block_size;
  result.processors = std::move(processors);
  result.cost = std::move(cost);
  return result;
}

/// Returns a problem with these tables.
inline LayoutProblem problem(const std::string& layout, std::vector<CostTable> tables, std::int64_t total,
                             bool exact_sum = false) {
  LayoutProblem result;
  result.layout.expression = parse_layout(layout);
  result.tables = std::move(tables);
  result.total = total;
  result.exact_sum = exact_sum;
  return result;
}

}  // namespace plimsoll::pelayout
