#include <algorithm>

#include <plimsoll/pelayout/sensitivity.hpp>

#include "pelayout/analysis/alternative_layouts.hpp"
#include "pelayout/analysis/estimator.hpp"
#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

class Analysis {
 public:
  Analysis(const Planner& planner, const Solution& solution, std::int64_t total,
           std::span<const TimingFile> runs)
      : planner_(planner),
        solution_(solution),
        total_(total),
        runs_(runs),
        models_(planner.models(total)),
        costs_(costs(solution)) {}

  Sensitivity run() {
    Sensitivity result;
    const ComponentCosts slacks = slack(planner_.layout().expression, costs_);
    const ComponentCosts waits = waiting(planner_.layout().expression, solution_, costs_);
    result.block = largest_block();
    double busy = 0;
    for (const Place& place : solution_.places) {
      const double slack = slacks.at(place.component);
      result.components.push_back({.component = place.component,
                                   .limiting = slack == 0,
                                   .slack = slack,
                                   .gain_of_block = gain_of_block(place, result.block),
                                   .waiting = waits.at(place.component),
                                   .share = share(place),
                                   .extrapolated = extrapolated(place)});
      busy += result.components.back().share;
    }
    if (solution_.time > 0) result.idle = std::max(0.0, 1 - busy);
    add_neighbours(result);
    result.alternatives = alternatives();
    result.sequential_cost = sequential_cost();
    result.layout_hardly_matters = hardly_matters(result.alternatives);
    return result;
  }

 private:
  void add_neighbours(Sensitivity& result) const {
    const std::int64_t block = result.block;
    try {
      const auto neighbours =
          planner_.solve_each({std::max<std::int64_t>(1, total_ - block), total_ + block});
      Estimator estimator(planner_, known_runs(planner_, runs_));
      if (total_ > block && neighbours[0])
        result.one_block_less = estimator.best(*neighbours[0], total_ - block).solution.time;
      if (neighbours[1]) result.one_block_more = estimator.best(*neighbours[1], total_ + block).solution.time;
    } catch (const Error& error) {
      // Ignore totals beyond the maximum that can be solved: their times are unknown.
      if (error.kind() != ErrorKind::bad_input) throw;
    }
  }

  std::int64_t largest_block() const {
    std::int64_t block = 1;
    for (const Place& place : solution_.places) {
      const ComponentRule& rule = planner_.layout().rule(place.component);
      block = std::max(block, rule.block_size.value_or(find_model(models_, place.component)->block_size));
    }
    for (const Partition& partition : solution_.partitions)
      block = std::max(block, partition.nodes.shared ? block : partition.nodes.round_up(block));
    const std::optional<Nodes>& nodes = solution_.nodes;
    return nodes && !nodes->shared ? nodes->round_up(block) : block;
  }

  /// Computes the gain of the component's next allowed count, as if processors for it were available.
  double gain_of_block(const Place& place, std::int64_t block) const {
    const CostTable table = planner_.cost_table(*find_model(models_, place.component), total_ + block);
    const auto next = std::ranges::upper_bound(table.processors, table.occupied(place.processors));
    if (next == table.processors.end()) return 0;
    ComponentCosts changed = costs_;
    changed[place.component] = table.cost[static_cast<std::size_t>(next - table.processors.begin())];
    return layout_time(planner_.layout(), costs_) - layout_time(planner_.layout(), changed);
  }

  /// Returns the share of a component in the processor time or, with two kinds of nodes, in the node time.
  double share(const Place& place) const {
    const std::vector<Partition>& kinds = solution_.partitions;
    const auto used = static_cast<double>(place.processors);
    if (!kinds.empty()) {
      const auto nodes = static_cast<double>(kinds[0].n_nodes + kinds[1].n_nodes);
      const auto per_node = static_cast<double>(kinds[place.partition].nodes.tasks_per_node);
      return solution_.time > 0 ? used / per_node * place.cost / (nodes * solution_.time) : 0;
    }
    const double all = static_cast<double>(total_) * solution_.time;
    return all > 0 ? used * place.cost / all : 0;
  }

  bool extrapolated(const Place& place) const {
    const ScalingModel* model = find_model(models_, place.component, place.threads);
    return model && model->extrapolates(place.tasks);
  }

  std::vector<Alternative> alternatives() {
    std::vector<Alternative> alternatives;
    for (const Layout& layout : alternative_layouts(planner_.layout(), planner_.problem().coupler)) {
      const Planner other(planner_.problem(), layout, planner_.options());
      const std::optional<Solution> solution = other.solve_each({total_}).front();
      if (!solution) continue;
      note_time_by_models(layout.expression, solution->time);
      Expectation best = Estimator(other, known_runs(other, runs_)).best(*solution, total_);
      alternatives.push_back(
          {layout.name, to_string(layout.expression), std::move(best.solution), std::move(best.expected)});
    }
    std::ranges::stable_sort(alternatives, {}, [](const Alternative& one) { return one.expected.time; });
    return alternatives;
  }

  ExpectedTime expected(const Planner& planner, const Solution& solution) const {
    return Estimator(planner, known_runs(planner, runs_)).expected(solution, total_);
  }

  void note_time_by_models(const LayoutExpression& layout, double time) {
    const bool is_concurrent = to_string(layout).find('|') != std::string::npos;
    std::optional<double>& best = is_concurrent ? concurrent_time_ : sequential_time_;
    best = std::min(best.value_or(time), time);
  }

  /// Returns the sequential coupling cost from the noted times. A solution that took place has measured
  /// times, and may not be the best one by the models.
  std::optional<double> sequential_cost() {
    if (const std::optional<Solution> best = planner_.solve_each({total_}).front())
      note_time_by_models(planner_.layout().expression, best->time);
    if (!sequential_time_ || !concurrent_time_ || *concurrent_time_ <= 0) return std::nullopt;
    return *sequential_time_ / *concurrent_time_ - 1;
  }

  bool hardly_matters(const std::vector<Alternative>& by_time) const {
    if (by_time.empty()) return false;
    const double time = expected(planner_, solution_).time;
    const double minimum = std::min(time, by_time.front().expected.time);
    const double maximum = std::max(time, by_time.back().expected.time);
    return maximum < 1.05 * minimum;
  }

  const Planner& planner_;
  const Solution& solution_;
  std::int64_t total_;
  std::span<const TimingFile> runs_;
  std::vector<ComponentModel> models_;
  ComponentCosts costs_;
  std::optional<double> sequential_time_;  ///< minimum time by the models without concurrent parts
  std::optional<double> concurrent_time_;  ///< minimum time by the models with concurrent parts
};

}  // namespace

const std::string& Alternative::layout() const {
  return name.find(' ') == std::string::npos ? name : expression;
}

std::vector<std::string> Sensitivity::limiting() const {
  std::vector<std::string> names;
  for (const ComponentSensitivity& component : components)
    if (component.limiting) names.push_back(component.component);
  return names;
}

Sensitivity analyse(const Planner& planner, const Solution& solution, std::int64_t total,
                    std::span<const TimingFile> runs) {
  return Analysis(planner, solution, total, runs).run();
}

}  // namespace plimsoll::pelayout
