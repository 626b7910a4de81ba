#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "balance/schedule/simulated_program.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Placement of objects whose work of several phases is known. It improves by the migration of one object, or
/// the exchange of two, that reduces the maximum loads most.
class KnownWork {
 public:
  KnownWork(std::vector<std::vector<double>> phases_s, std::size_t n_ranks, std::vector<std::int32_t> place)
      : phases_s_(std::move(phases_s)), n_ranks_(n_ranks), place_(std::move(place)) {
    loads_.assign(n_ranks, std::vector<double>(phases_s_.size()));
    for (std::size_t object = 0; object < place_.size(); ++object) add(object, place_[object], 1);
    for (std::size_t k = 0; k < phases_s_.size(); ++k) {
      double mean = 0;
      for (const auto& of_rank : loads_) mean += of_rank[k] / static_cast<double>(n_ranks);
      for (auto& of_rank : loads_) of_rank[k] /= mean;
      for (double& load : phases_s_[k]) load /= mean;
    }
  }

  /// Carries out the best step; false: none improves the placement by 0.1 %.
  bool improve() {
    std::size_t worst = 0;
    for (std::size_t rank = 1; rank < n_ranks_; ++rank)
      if (cost(rank, none, none) > cost(worst, none, none)) worst = rank;
    Step best;
    double best_change = 0;
    const auto attempt = [&](Step step) {
      const auto to = static_cast<std::size_t>(step.to);
      const double change = cost(worst, step.back, step.object) + cost(to, step.object, step.back) -
                            cost(worst, none, none) - cost(to, none, none);
      if (change >= best_change) return;
      best_change = change;
      best = step;
    };
    for (std::size_t object = 0; object < place_.size(); ++object) {
      if (place_[object] != static_cast<std::int32_t>(worst)) continue;
      for (std::size_t to = 0; to < n_ranks_; ++to)
        if (to != worst) attempt({static_cast<int>(object), none, static_cast<std::int32_t>(to)});
      for (std::size_t other = 0; other < place_.size(); ++other)
        if (place_[other] != static_cast<std::int32_t>(worst))
          attempt({static_cast<int>(object), static_cast<int>(other), place_[other]});
    }
    if (best_change > -0.001 * cost(worst, none, none)) return false;
    take(static_cast<std::size_t>(best.object), best.to);
    if (best.back != none) take(static_cast<std::size_t>(best.back), static_cast<std::int32_t>(worst));
    return true;
  }

  const std::vector<std::int32_t>& place() const { return place_; }

 private:
  static constexpr int none = -1;
  struct Step {
    int object = none;
    int back = none;  // object that takes its place
    std::int32_t to = 0;
  };

  /// Returns the sum over the phases of a high power of the load of a rank with one more object, and without
  /// another: nearly the maximum, but the second highest load counts as well.
  double cost(std::size_t rank, int more, int less) const {
    double sum = 0;
    for (std::size_t k = 0; k < phases_s_.size(); ++k) {
      double load = loads_[rank][k];
      if (more != none) load += phases_s_[k][static_cast<std::size_t>(more)];
      if (less != none) load -= phases_s_[k][static_cast<std::size_t>(less)];
      const double square = load * load;
      sum += square * square * square * square;
    }
    return sum;
  }
  void add(std::size_t object, std::int32_t rank, double sign) {
    for (std::size_t k = 0; k < phases_s_.size(); ++k)
      loads_[static_cast<std::size_t>(rank)][k] += sign * phases_s_[k][object];
  }
  void take(std::size_t object, std::int32_t to) {
    add(object, place_[object], -1);
    add(object, to, 1);
    place_[object] = to;
  }

  std::vector<std::vector<double>> phases_s_;  // work of the objects, relative to the mean of the ranks
  std::size_t n_ranks_;
  std::vector<std::int32_t> place_;
  std::vector<std::vector<double>> loads_;  // of the ranks, in each phase
};

/// When a program that knows its work of all phases migrates objects: in each `period`-th phase from `first`
/// on, to a placement for so many phases to come, with at most so many steps.
struct HindsightSchedule {
  int first = 1;
  int period = 1;
  int n_phases = 1;
  int max_steps = std::numeric_limits<int>::max();
};

/// Returns the time of a program that migrates in this way, at the true price; gives up beyond `limit_s`.
inline double time_of(const HindsightSchedule& schedule, const SimulatedProgram& program, double limit_s) {
  constexpr int most_samples = 16;  // of the phases to come
  Simulation simulation(program);
  for (int phase = 0; phase < program.n_phases && simulation.outcome.time_s < limit_s; ++phase) {
    simulation.run_phase();
    if (phase < schedule.first || (phase - schedule.first) % schedule.period != 0) continue;
    const int n_to_come = std::min(schedule.n_phases, program.n_phases - 1 - phase);
    const int n_samples = std::min(n_to_come, most_samples);
    if (n_samples == 0) continue;
    std::vector<std::vector<double>> work_s;
    for (int k = 0; k < n_samples; ++k)
      work_s.push_back(simulation.work_of(phase + 1 + k * n_to_come / n_samples));
    KnownWork known(work_s, program.n_ranks, simulation.place());
    for (int step = 0; step < schedule.max_steps && known.improve();) ++step;
    const Simulation::Plan plan = simulation.plan_to(known.place(), work_s.front());
    simulation.outcome.time_s += program.decision_s;
    if (plan.moves > 0) simulation.migrate(plan);
  }
  return simulation.outcome.time_s;
}

/// Returns the time of the best of many schedules, all of which pay the true price: balancing every few
/// phases, or once, at some phase, for the phases up to the next time, with all migrations or few of them.
/// `never_s` is the time without balancing.
inline double time_with_hindsight(const SimulatedProgram& program, double never_s) {
  const int n = program.n_phases;
  double best_s = never_s;
  for (const int first : {0, 1, n / 8, n / 4, n / 2})
    for (const int period : {1, 3, 7, 20, 50, n / 3, n})
      for (const int max_steps : {1, 2, 4, 1000}) {
        if (period < 20 && (first > 1 || max_steps < 1000)) continue;
        const HindsightSchedule schedule{first, period, period, max_steps};
        best_s = std::min(best_s, time_of(schedule, program, best_s));
      }
  return best_s;
}

/// Returns the time with known work if decisions and migrations cost nothing.
inline double time_without_prices(SimulatedProgram program) {
  program.decision_s = program.latency_s = program.s_per_object = program.s_per_byte = 0;
  return time_of({.first = 0}, program, std::numeric_limits<double>::infinity());
}

}  // namespace plimsoll::balance::testing
