#include "pelayout/models/task_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

std::vector<std::int64_t> powers(std::int64_t base, std::int64_t max_tasks) {
  std::vector<std::int64_t> counts = {1};
  while (base > 1 && counts.back() <= max_tasks / base) counts.push_back(counts.back() * base);
  return counts;
}

/// Returns the counts that a rule lists, filtered by the rest of the rule. Empty if it specifies a range.
std::optional<std::vector<std::int64_t>> listed_counts(const ComponentRule& rule, std::int64_t block_size,
                                                       std::int64_t max_tasks) {
  std::vector<std::int64_t> counts;
  if (rule.fixed)
    counts = {*rule.fixed};
  else if (!rule.allowed.empty())
    counts = rule.allowed;
  else if (rule.power_of)
    counts = powers(*rule.power_of, max_tasks);
  else
    return std::nullopt;
  std::erase_if(counts, [&](std::int64_t count) {
    return count < 1 || count > max_tasks || count % block_size != 0 || !rule.admits(count);
  });
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// Returns the lowest common multiple, unless it exceeds `limit`.
std::optional<std::int64_t> common_multiple(std::int64_t left, std::int64_t right, std::int64_t limit) {
  const std::int64_t factor = right / std::gcd(left, right);
  if (left > limit / factor) return std::nullopt;
  return left * factor;
}

/// Returns k such that k times `step` is the first multiple >= `minimum`.
std::int64_t first_multiple(std::int64_t step, std::int64_t minimum) {
  return (std::max<std::int64_t>(minimum, 1) - 1) / step + 1;
}

std::vector<std::int64_t> multiples(std::int64_t step, std::int64_t minimum, std::int64_t maximum) {
  constexpr auto bound = static_cast<std::int64_t>(max_table_entries);
  const std::int64_t first = first_multiple(step, minimum);
  const std::int64_t last = maximum / step;
  if (last - first >= bound) {
    throw support::bad_input(
        fmt::format(
            "too many task counts for a component: {} counts of up to {} tasks, but at most {} are supported",
            last - first + 1, maximum, bound),
        {}, "set a larger block size, or a list of counts");
  }
  std::vector<std::int64_t> counts(static_cast<std::size_t>(std::max<std::int64_t>(last - first + 1, 0)));
  std::int64_t count = (first - 1) * step;
  std::ranges::generate(counts, [&] { return count += step; });
  return counts;
}

}  // namespace

std::vector<std::int64_t> admitted_task_counts(const ComponentRule& rule, std::int64_t block_size,
                                               std::int64_t max_tasks) {
  PLIMSOLL_EXPECT(block_size >= 1);
  PLIMSOLL_EXPECT(rule.multiple_of.value_or(1) >= 1);
  if (const auto counts = listed_counts(rule, block_size, max_tasks)) return *counts;
  const std::int64_t limit = std::min(max_tasks, rule.maximum);
  const auto step = common_multiple(block_size, rule.multiple_of.value_or(1), limit);
  return step ? multiples(*step, rule.minimum, limit) : std::vector<std::int64_t>{};
}

std::optional<std::int64_t> minimum_admitted_task_count(const ComponentRule& rule, std::int64_t block_size) {
  PLIMSOLL_EXPECT(block_size >= 1);
  PLIMSOLL_EXPECT(rule.multiple_of.value_or(1) >= 1);
  if (const auto counts = listed_counts(rule, block_size, std::numeric_limits<std::int64_t>::max()))
    return counts->empty() ? std::nullopt : std::optional(counts->front());
  const auto step = common_multiple(block_size, rule.multiple_of.value_or(1), rule.maximum);
  if (!step) return std::nullopt;
  const std::int64_t first = first_multiple(*step, rule.minimum);
  return first <= rule.maximum / *step ? std::optional(first * *step) : std::nullopt;
}

}  // namespace plimsoll::pelayout
