#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include <plimsoll/pelayout/own_layout.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/repeats.hpp"
#include "pelayout/analysis/reproduction.hpp"
#include "pelayout/analysis/run_arrangement.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns a run whose file lacks ranks with its components numbered by kind of nodes, because programs start
/// in any order. Components without time come last. Other runs do not change.
TimingFile with_ranks_by_kind(const Planner& planner, TimingFile run) {
  if (run.knows_ranks()) return run;
  std::vector<ComponentTiming*> in_order;
  in_order.reserve(run.components.size());
  for (ComponentTiming& timing : run.components) in_order.push_back(&timing);
  std::ranges::stable_sort(in_order, {}, [&](const ComponentTiming* timing) {
    return std::pair(timing->seconds_per_day == 0, planner.partition_of(timing->component).value_or(0));
  });
  std::int64_t next = 0;
  for (ComponentTiming* const timing : in_order) timing->root = std::exchange(next, next + timing->tasks);
  return run;
}

/// Ranks that a run uses on each of two kinds of nodes: from the first to the one after the last.
struct PlacesOnKinds {
  std::array<std::int64_t, 2> first = {};
  std::array<std::int64_t, 2> end = {};

  /// Returns the ranks. Ranks fill the nodes of the first kind, then those of the second. If a component with
  /// an unknown kind took time, it is on the first.
  static PlacesOnKinds of(const Planner& planner, const TimingFile& run) {
    PlacesOnKinds places;
    std::array<bool, 2> is_used = {};
    for (const std::string& name : active_components(run)) {
      const ComponentTiming& timing = *run.find(name);
      const std::size_t kind = planner.partition_of(name).value_or(0);
      places.first[kind] = is_used[kind] ? std::min(places.first[kind], timing.root) : timing.root;
      places.end[kind] = std::max(places.end[kind], end_of({&timing, 1}, false));
      is_used[kind] = true;
    }
    places.first[0] = 0;
    if (!is_used[1]) places.first[1] = places.end[1] = places.end[0];
    return places;
  }

  bool fit(std::span<const Partition> partitions) const {
    return end[0] <= first[1] && first[1] <= partitions[0].total() &&
           end[1] - first[1] <= partitions[1].total();
  }
};

/// Returns whether a placement is allowed: block sizes and rules admit the task counts.
bool is_allowed(const Planner& planner, const TimingFile& run) {
  return std::ranges::all_of(active_components(run), [&](const std::string& name) {
    const ComponentTiming& timing = *run.find(name);
    const Component* const component = planner.problem().find(name);
    const ComponentRule& rule = planner.layout().rule(name);
    return component != nullptr && rule.admits(timing.tasks) &&
           timing.tasks <= component->limit.value_or(max_count) &&
           timing.tasks % rule.block_size.value_or(component->block_size) == 0;
  });
}

/// Returns a table with the task count and the measured time of a component in a run.
CostTable table_of_run(const Planner& planner, const TimingFile& run, const ComponentTiming& timing) {
  CostTable table;
  table.component = timing.component;
  table.block_size = planner.layout()
                         .rule(timing.component)
                         .block_size.value_or(planner.problem().find(timing.component)->block_size);
  table.cost = {cost_of(timing, run, planner.problem().unit)};
  table.fixed_threads = static_cast<std::int32_t>(timing.threads);
  table.processors = {timing.tasks * (planner.counts_threads() ? timing.threads : 1)};
  if (planner.counts_threads()) table.threads = {table.fixed_threads};
  table.partition = planner.partition_of(timing.component).value_or(0);
  return table;
}

/// Sets the places of a run on two kinds of nodes.
void set_places(const PlacesOnKinds& kinds, const TimingFile& run, Solution& solution) {
  std::vector<Partition>& partitions = solution.partitions;
  for (std::size_t kind = 0; kind < partitions.size(); ++kind)
    partitions[kind].processors = kinds.end[kind] - kinds.first[kind];
  solution.processors = first_processor(partitions, 1) + partitions[1].processors;
  for (Place& place : solution.places) {
    const Nodes& nodes = partitions[place.partition].nodes;
    const std::int64_t offset = run.find(place.component)->root - kinds.first[place.partition];
    place.root = first_processor(partitions, place.partition) + offset;
    place.nodes = nodes.count(offset % nodes.tasks_per_node + place.processors);
  }
}

/// Returns the places of a run. Roots in a file are ranks, so they are kept if places are counted in ranks.
Solution solution_of_run(const Planner& planner, const Layout& layout, const TimingFile& run) {
  LayoutProblem problem = {.layout = layout,
                           .tables = {},
                           .nodes = planner.options().nodes,
                           .partitions = planner.options().partitions};
  for (const std::string& name : components(layout.expression))
    problem.tables.push_back(table_of_run(planner, run, *run.find(name)));
  Solution solution = make_solution(problem, std::vector<std::size_t>(problem.tables.size()));
  if (planner.counts_threads()) return solution;
  if (!problem.partitions.empty()) {
    set_places(PlacesOnKinds::of(planner, run), run, solution);
    return solution;
  }
  solution.processors = end_of(run.components, false);
  for (Place& place : solution.places) {
    place.root = run.find(place.component)->root;
    if (const auto& nodes = problem.nodes)
      place.nodes = nodes->count(place.root % nodes->tasks_per_node + place.processors);
  }
  return solution;
}

bool measures_waiting(const Solution& solution, const TimingFile& run) {
  return std::ranges::all_of(solution.places, [&](const Place& place) {
    return place.cost == 0 || run.find(place.component)->work.has_value();
  });
}

/// Returns the waiting of components in a run: inside of their times, as far as it was measured, and for
/// concurrent parts that took longer.
ComponentCosts measured_waiting(const OwnLayout& own, const TimingFile& run, CostUnit unit) {
  ComponentCosts times = costs(own.solution);
  ComponentCosts inside;
  for (auto& [name, time] : times) {
    const ComponentTiming& timing = *run.find(name);
    if (!timing.work || timing.seconds <= 0) continue;
    const double whole = unit == CostUnit::total_seconds ? timing.seconds : timing.seconds_per_day;
    const double scale = whole / timing.seconds;
    inside[name] = timing.work->waiting_seconds * scale;
    time = (timing.work->work_seconds + timing.work->waiting_seconds) * scale;
  }
  ComponentCosts waits = waiting(own.layout.expression, own.solution, times);
  for (const auto& [name, time] : inside) waits[name] += time;
  return waits;
}

std::map<std::string, ComponentRule> rules_of(const Layout& layout, const std::vector<std::string>& names) {
  std::map<std::string, ComponentRule> rules = layout.rules;
  std::erase_if(rules, [&](const auto& rule) { return std::ranges::find(names, rule.first) == names.end(); });
  return rules;
}

OwnLayout layout_of_runs(const Planner& planner, std::vector<const TimingFile*> runs) {
  const CostUnit unit = planner.problem().unit;
  std::ranges::stable_sort(runs, {}, [unit](const TimingFile* run) { return total_time(*run, unit); });
  const TimingFile& run = *runs[(runs.size() - 1) / 2];
  const std::vector<Partition>& kinds = planner.options().partitions;
  OwnLayout own = {.path = run.path,
                   .runs = runs.size(),
                   .total = kinds.empty() ? size_of(planner, run) : processors_of(kinds)};
  own.layout.expression = arrangement_in_run(run, active_components(run));
  own.layout.name = to_string(own.layout.expression);
  own.layout.rules = rules_of(planner.layout(), components(own.layout.expression));
  own.solution = solution_of_run(planner, own.layout, run);
  own.waiting = measured_waiting(own, run, unit);
  own.measures_waiting = measures_waiting(own.solution, run);
  own.knows_ranks = run.knows_ranks();
  std::vector<double> times;
  times.reserve(runs.size());
  for (const TimingFile* const one : runs) times.push_back(*total_time(*one, unit));
  const RepeatedTime repeated = repeated_time(std::move(times));
  own.time = repeated.time;
  own.range = repeated.range;
  return own;
}

/// Returns whether a solution contains the places of the components that take time in another. Roots count if
/// they are known.
bool contains_places(const Solution& solution, const Solution& other, bool knows_ranks) {
  return std::ranges::all_of(other.places, [&](const Place& place) {
    const Place* const found = solution.find(place.component);
    return place.cost == 0 || (found != nullptr && (!knows_ranks || found->root == place.root) &&
                               std::tie(found->tasks, found->threads, found->partition) ==
                                   std::tie(place.tasks, place.threads, place.partition));
  });
}

using Pairs = std::set<std::pair<std::string, std::string>>;

void add_concurrent_pairs(const LayoutExpression& expression, const Solution& solution, Pairs& pairs) {
  const auto partition_of = [&](const std::string& name) -> std::optional<std::size_t> {
    const Place* const place = solution.find(name);
    return place == nullptr || place->cost == 0 ? std::nullopt : std::optional(place->partition);
  };
  for (std::size_t k = 0; k < expression.parts.size(); ++k) {
    add_concurrent_pairs(expression.parts[k], solution, pairs);
    for (std::size_t before = 0; expression.kind == LayoutExpression::Kind::side_by_side && before < k;
         ++before)
      for (const std::string& one : components(expression.parts[before]))
        for (const std::string& other : components(expression.parts[k]))
          if (const auto kind = partition_of(one), its_kind = partition_of(other);
              kind && its_kind && kind != its_kind)
            pairs.insert(std::minmax(one, other));
  }
}

/// Returns the pairs of components that run concurrently on different kinds of nodes, which places do not
/// tell. Components without time do not count.
Pairs concurrent_on_kinds(const LayoutExpression& expression, const Solution& solution) {
  Pairs pairs;
  add_concurrent_pairs(expression, solution, pairs);
  return pairs;
}

}  // namespace

bool fits_kinds_of_nodes(const Planner& planner, const TimingFile& run) {
  const std::vector<Partition>& kinds = planner.options().partitions;
  return kinds.empty() || PlacesOnKinds::of(planner, with_ranks_by_kind(planner, run)).fit(kinds);
}

std::vector<OwnLayout> own_layouts(const Planner& planner, std::span<const TimingFile> runs) {
  std::vector<TimingFile> placed;
  placed.reserve(runs.size());
  for (const TimingFile& run : runs) placed.push_back(with_ranks_by_kind(planner, run));
  std::vector<std::vector<const TimingFile*>> placements;
  for (const TimingFile& run : placed) {
    const CostUnit unit = planner.problem().unit;
    if (!total_time(run, unit) || is_shorter_than_components(run, unit) || active_components(run).empty() ||
        !is_allowed(planner, run) || !fits_kinds_of_nodes(planner, run))
      continue;
    const auto known = std::ranges::find_if(
        placements, [&](const auto& placement) { return have_same_placement(*placement.front(), run); });
    if (known == placements.end())
      placements.push_back({&run});
    else
      known->push_back(&run);
  }
  std::vector<OwnLayout> layouts;
  layouts.reserve(placements.size());
  for (auto& placement : placements) layouts.push_back(layout_of_runs(planner, std::move(placement)));
  return layouts;
}

const OwnLayout* with_same_places(std::span<const OwnLayout> layouts, const LayoutExpression& expression,
                                  const Solution& solution) {
  const auto found = std::ranges::find_if(layouts, [&](const OwnLayout& own) {
    return contains_places(own.solution, solution, own.knows_ranks) &&
           contains_places(solution, own.solution, own.knows_ranks) &&
           concurrent_on_kinds(own.layout.expression, own.solution) ==
               concurrent_on_kinds(expression, solution);
  });
  return found == layouts.end() ? nullptr : &*found;
}

ExpectedTime expected_time(const OwnLayout& own, std::span<const Reproduction> runs) {
  ExpectedTime expected = {.time = own.time, .range = own.range, .by_models = own.solution.time};
  const auto run = std::ranges::find(runs, own.path, &Reproduction::path);
  if (run != runs.end()) expected.run = *run;
  return expected;
}

ExpectedTime expected_time(const LayoutExpression& expression, const Solution& solution,
                           const UncertainTime& by_models, const KnownRuns& runs, std::int64_t total) {
  const OwnLayout* const own = with_same_places(runs.layouts, expression, solution);
  if (own == nullptr) return expected_time(by_models, runs.reproductions, total);
  ExpectedTime expected = expected_time(*own, runs.reproductions);
  expected.by_models = by_models.mean;
  return expected;
}

const OwnLayout* fastest(std::span<const OwnLayout> layouts, std::int64_t total) {
  const OwnLayout* best = nullptr;
  for (const OwnLayout& layout : layouts)
    if (layout.total <= total && (best == nullptr || layout.time < best->time)) best = &layout;
  return best;
}

}  // namespace plimsoll::pelayout
