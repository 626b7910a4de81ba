#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <plimsoll/support/contract.hpp>

#include "pelayout/models/models.hpp"

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
  if (last - first >= bound)
    throw support::bad_input(
        fmt::format(
            "too many task counts for a component: {} counts of up to {} tasks, but at most {} are supported",
            last - first + 1, maximum, bound),
        {}, "set a larger block size, or a list of counts");
  std::vector<std::int64_t> counts(static_cast<std::size_t>(std::max<std::int64_t>(last - first + 1, 0)));
  std::int64_t count = (first - 1) * step;
  std::ranges::generate(counts, [&] { return count += step; });
  return counts;
}

/// Returns the table of a component for one thread count, if a task takes `width` processors.
CostTable table_of(const ScalingModel& model, const ComponentRule& rule, std::int64_t block_size,
                   std::int64_t total, std::int64_t width) {
  CostTable table;
  table.processors = admitted_task_counts(rule, block_size, total / width);
  table.cost.resize(table.size());
  model.costs(table.processors, table.cost);
  if (const auto quality = model.quality()) table.typical_error = quality->typical_error;
  if (const auto range = model.measured_range()) table.measured = {range->min * width, range->max * width};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table.processors[i] *= width;
    table.cost[i] = priced(table.cost[i], rule);
  }
  for (const Line& line : model.lines())
    table.lines.push_back(
        {priced(line.intercept, rule), line.slope * (1 + rule.overhead) / static_cast<double>(width)});
  if (!table.lines.empty())
    table.lines.push_back({rule.wait, 0});  // lower bound, because models are never below 0
  return table;
}

std::optional<TaskRange> both(const std::optional<TaskRange>& one, const std::optional<TaskRange>& other) {
  if (!one || !other) return one ? one : other;
  return TaskRange{std::min(one->min, other->min), std::max(one->max, other->max)};
}

/// Merges two tables. For equal processor counts, keeps the cheaper entry, or the left one if tied.
CostTable best_of(const CostTable& left, const CostTable& right) {
  CostTable best;
  best.measured = both(left.measured, right.measured);
  best.typical_error = std::max(left.typical_error, right.typical_error);
  const auto take = [&best](const CostTable& table, std::size_t entry) {
    best.processors.push_back(table.processors[entry]);
    best.cost.push_back(table.cost[entry]);
    best.threads.push_back(table.threads[entry]);
  };
  for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    const bool both_left = l < left.size() && r < right.size();
    const bool same = both_left && left.processors[l] == right.processors[r];
    const bool is_left = same        ? left.cost[l] <= right.cost[r]
                         : both_left ? left.processors[l] < right.processors[r]
                                     : l < left.size();
    is_left ? take(left, l) : take(right, r);
    if (same || is_left) ++l;
    if (same || !is_left) ++r;
  }
  return best;
}

/// Returns the table in which each number of processors has its best thread count.
CostTable table_with_best_threads(const ComponentModel& model, const ComponentRule& rule,
                                  std::int64_t block_size, std::int64_t total) {
  CostTable best;
  for (const auto& [threads, scaling] : model.by_threads) {
    CostTable table = table_of(*scaling, rule, block_size, total, threads);
    table.threads.assign(table.size(), static_cast<std::int32_t>(threads));
    best = threads == model.by_threads.begin()->first ? std::move(table) : best_of(best, table);
  }
  return best;
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

bool was_measured_once(const Component& component) {
  return std::ranges::adjacent_find(component.samples, std::not_equal_to{}, &Sample::tasks) ==
         component.samples.end();
}

bool threads_vary(const Problem& problem) {
  return std::ranges::any_of(problem.components, [](const Component& component) {
    return std::ranges::adjacent_find(component.samples, std::not_equal_to{}, &Sample::threads) !=
           component.samples.end();
  });
}

std::vector<ComponentModel> make_component_models(const Problem& problem, ModelKind kind,
                                                  std::int64_t total_tasks) {
  std::vector<ComponentModel> models;
  for (const Component& component : problem.components) {
    ComponentModel& model = models.emplace_back();
    model.component = component.name;
    model.block_size = component.block_size;
    for (const Sample& sample : component.samples) {
      std::shared_ptr<const ScalingModel>& scaling = model.by_threads[sample.threads];
      if (!scaling) scaling = make_scaling_model(kind, component, sample.threads, total_tasks);
    }
  }
  return models;
}

CostTable make_cost_table(const ComponentModel& model, const ComponentRule& rule, std::int64_t total,
                          bool count_threads) {
  if (model.by_threads.empty())
    throw support::bad_input("no measurements of " + model.component, {}, "specify timing data for it");
  const std::int64_t block_size = rule.block_size.value_or(model.block_size);
  const auto& [threads, scaling] = *model.by_threads.begin();
  CostTable table = count_threads ? table_with_best_threads(model, rule, block_size, total)
                                  : table_of(*scaling, rule, block_size, total, 1);
  table.component = model.component;
  table.block_size = block_size;
  table.fixed_threads = static_cast<std::int32_t>(threads);
  table.processors_per_task = count_threads ? threads : 1;
  return table;
}

CostTable on_whole_nodes(const CostTable& table, std::int64_t processors_per_node) {
  CostTable whole = {.component = table.component,
                     .block_size = table.block_size,
                     .fixed_threads = table.fixed_threads,
                     .processors_per_node = processors_per_node,
                     .processors_per_task = table.processors_per_task,
                     .typical_error = table.typical_error,
                     .prefers_measured_count = table.prefers_measured_count,
                     .partition = table.partition};
  if (table.measured)
    whole.measured = {whole.occupied(table.measured->min), whole.occupied(table.measured->max)};
  const auto is_measured = [&](std::size_t entry) {
    return !table.measured || table.processors[entry] <= table.measured->max;
  };
  bool all_full = true;
  for (std::size_t entry = 0; entry < table.size();) {
    const std::int64_t occupied = whole.occupied(table.processors[entry]);
    std::size_t best = entry;
    for (; entry < table.size() && table.processors[entry] <= occupied; ++entry)
      if (table.cost[entry] < table.cost[best] ||
          (table.cost[entry] == table.cost[best] && is_measured(entry)))
        best = entry;
    whole.processors.push_back(occupied);
    whole.cost.push_back(table.cost[best]);
    whole.tasks.push_back(table.tasks_of(best));
    if (!table.threads.empty()) whole.threads.push_back(table.threads[best]);
    all_full = all_full && table.processors[best] == occupied;
  }
  // The lines bound the costs of whole nodes only if the tasks use all of their processors.
  if (all_full) whole.lines = table.lines;
  return whole;
}

}  // namespace plimsoll::pelayout
