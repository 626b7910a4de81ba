#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/changing_loads.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Program on a machine, whose work, disturbances and costs a test defines.
struct SimulatedProgram {
  std::size_t n_ranks = 4;
  std::size_t objects_per_rank = 64;
  int n_phases = 100;
  double mean_load_s = 0.1;  ///< mean load per rank and phase, for uniform work
  double object_bytes = 0;
  /// Undisturbed work of an object, relative to the mean of uniform work.
  std::function<double(std::size_t object, int phase)> load = [](std::size_t, int) { return 1.0; };
  /// Factors by which the work of a rank takes longer: what others run on its processor, which the rank
  /// knows, and what the rank cannot tell from work: white noise, and slow processors.
  std::function<double(std::size_t rank, int phase)> slowdown = [](std::size_t, int) { return 1.0; };
  std::function<double(std::size_t rank, int phase)> noise = [](std::size_t, int) { return 1.0; };
  bool is_disturbed = true;  ///< whether the ranks know of other processes

  double decision_s = 1e-3;
  /// True time of a migration: latency, per object and per byte of the busiest rank.
  double latency_s = 0;
  double s_per_object = 100e-6;
  double s_per_byte = 0;
  double first_migration_factor = 1;

  std::size_t n_objects() const { return n_ranks * objects_per_rank; }
};

enum class When { never, pays, always };

struct SimulatedRun {
  double time_s = 0;
  double moved_share = 0;  // moved objects of all phases, divided by the number of objects
  std::vector<int> move_phases = {};
};

/// Carries out a simulated program phase by phase.
class Simulation {
 public:
  explicit Simulation(const SimulatedProgram& program)
      : program_(program), place_(program.n_objects()), rank_loads_(program.n_ranks) {
    for (std::size_t object = 0; object < place_.size(); ++object)
      place_[object] = static_cast<std::int32_t>(object / program.objects_per_rank);
  }

  /// Runs the next phase, and adds its time.
  void run_phase() {
    std::ranges::fill(rank_loads_, RankPhase{.is_disturbed = program_.is_disturbed});
    std::vector<double> factor(program_.n_ranks);
    for (std::size_t rank = 0; rank < program_.n_ranks; ++rank) factor[rank] = program_.noise(rank, phase_);
    std::vector<double> measured_s = work_of(phase_);
    for (std::size_t object = 0; object < place_.size(); ++object) {
      const auto rank = static_cast<std::size_t>(place_[object]);
      measured_s[object] *= factor[rank];
      rank_loads_[rank].load_s += measured_s[object];
      rank_loads_[rank].heaviest_object_s = std::max(rank_loads_[rank].heaviest_object_s, measured_s[object]);
    }
    if (history_s_.size() == ChangingLoads::max_phases) history_s_.pop_front();
    history_s_.push_back(std::move(measured_s));
    double time_s = 0;
    for (std::size_t rank = 0; rank < program_.n_ranks; ++rank)
      time_s = std::max(time_s, rank_loads_[rank].load_s * program_.slowdown(rank, phase_));
    outcome.time_s += time_s;
    ++phase_;
  }

  int phase() const { return phase_ - 1; }
  const std::vector<RankPhase>& ranks() const { return rank_loads_; }
  struct Plan {
    std::vector<std::int32_t> to;
    std::vector<double> rank_loads_s;
    MigrationVolume volume;  // of the busiest rank
    std::int64_t moves = 0;
    double gain_s = 0;  // predicted gain per phase
  };

  static constexpr std::int64_t any_moves = std::numeric_limits<std::int64_t>::max();

  /// Decides by the measured loads of the last `n_phases`, and takes at most so many of the migrations.
  Plan decide(std::int64_t max_moves = any_moves, std::size_t n_phases = 1) const {
    n_phases = std::min(n_phases, history_s_.size());
    LDStats stats = stats_of(program_.n_ranks, history_s_.back(), place_);
    if (n_phases > 1) add_phases(stats, n_phases);
    balance_with("RefineLB", stats, n_phases > 1 ? ParameterMap{{"tolerance", "1.05"}} : ParameterMap());
    Limits limits;
    limits.max_moves = max_moves;
    if (limits.limit_moves()) stats.to_proc = apply_limits(limits, stats, stats.to_proc);
    Plan plan = plan_to(stats.to_proc, history_s_.back());
    plan.gain_s = (phase_time(stats, place_) - phase_time(stats, plan.to)) / static_cast<double>(n_phases);
    return plan;
  }

  const std::vector<std::int32_t>& place() const { return place_; }

  /// Returns the work of each object in a phase, in seconds.
  std::vector<double> work_of(int phase) const {
    const double unit_s = program_.mean_load_s / static_cast<double>(program_.objects_per_rank);
    std::vector<double> work_s(place_.size());
    for (std::size_t object = 0; object < work_s.size(); ++object)
      work_s[object] = unit_s * program_.load(object, phase);
    return work_s;
  }

  /// Returns the plan that leads to a placement. `loads_s` are the loads of the objects.
  Plan plan_to(std::vector<std::int32_t> to, const std::vector<double>& loads_s) const {
    Plan plan{.to = std::move(to), .rank_loads_s = std::vector<double>(program_.n_ranks), .volume = {}};
    std::vector<std::int64_t> objects(program_.n_ranks);
    for (std::size_t object = 0; object < place_.size(); ++object) {
      const auto rank = static_cast<std::size_t>(plan.to[object]);
      plan.rank_loads_s[rank] += loads_s[object];
      if (plan.to[object] == place_[object]) continue;
      ++plan.moves;
      ++objects[rank];
      ++objects[static_cast<std::size_t>(place_[object])];
    }
    plan.volume.objects = std::ranges::max(objects);
    plan.volume.bytes = static_cast<double>(plan.volume.objects) * program_.object_bytes;
    return plan;
  }

  double migration_s(const MigrationVolume& volume) const {
    const double factor = outcome.move_phases.empty() ? program_.first_migration_factor : 1;
    return factor * (program_.latency_s + program_.s_per_object * static_cast<double>(volume.objects) +
                     program_.s_per_byte * volume.bytes);
  }

  /// Migrates, and returns the time that this takes.
  double migrate(const Plan& plan) {
    const double time_s = migration_s(plan.volume);
    outcome.time_s += time_s;
    place_ = plan.to;
    outcome.moved_share += static_cast<double>(plan.moves) / static_cast<double>(place_.size());
    outcome.move_phases.push_back(phase());
    return time_s;
  }

  SimulatedRun outcome;

 private:
  /// Adds the loads of the last phases as subphases.
  void add_phases(LDStats& stats, std::size_t n_phases) const {
    stats.subphases = SubphaseLoads::zeros(place_.size(), static_cast<std::uint32_t>(n_phases));
    for (std::size_t object = 0; object < place_.size(); ++object) {
      double sum_s = 0;
      for (std::size_t k = 0; k < n_phases; ++k) {
        const double load_s = history_s_[history_s_.size() - 1 - k][object];
        stats.subphases.of_object(object)[k + 1] = static_cast<LBRealType>(load_s);
        sum_s += load_s;
      }
      stats.obj_data[object].walltime = static_cast<LBRealType>(sum_s);
    }
  }

  const SimulatedProgram& program_;
  std::deque<std::vector<double>> history_s_;  // measured loads of the last phases, oldest first
  int phase_ = 0;
  std::vector<std::int32_t> place_;
  std::vector<RankPhase> rank_loads_;
};

/// Called after each phase in which the rule refused, or moved.
using AfterPhase = std::function<void(const BenefitRule& rule, const Simulation& simulation, bool has_moved)>;

inline SimulatedRun simulate(const SimulatedProgram& program, When when, const AfterPhase& after_phase = {}) {
  Simulation simulation(program);
  std::vector<RankLoadWindow> windows(program.n_ranks,
                                      RankLoadWindow(static_cast<std::int64_t>(program.n_ranks)));
  BenefitRule rule;
  std::vector<RankLoadChanges> rank_changes(program.n_ranks);
  ChangingLoads changing;
  for (int phase = 0; phase < program.n_phases; ++phase) {
    simulation.run_phase();
    LoadEvidence evidence;
    for (std::size_t rank = 0; rank < program.n_ranks; ++rank)
      merge_evidence(evidence, windows[rank].observe(simulation.ranks()[rank], rule.usual_spread()));
    for (RankLoadWindow& window : windows) window.compare_with(evidence);
    ChangeEvidence changes;
    for (std::size_t rank = 0; rank < program.n_ranks; ++rank)
      merge_changes(changes, rank_changes[rank].observe(simulation.ranks()[rank]));
    changing.observe(changes);
    const bool are_changing = is_steadier(changing.evidence(), evidence);
    if (are_changing) evidence = changing.evidence();
    const std::size_t n_phases = are_changing ? changing.n_phases() : 1;
    rule.observe(evidence);
    bool has_moved = false;
    if (when == When::always || (when == When::pays && rule.worth_deciding())) {
      const auto decide = [&](std::int64_t max_moves) {
        simulation.outcome.time_s += program.decision_s;
        rule.decided(program.decision_s);
        return simulation.decide(max_moves, n_phases);
      };
      Simulation::Plan plan = decide(Simulation::any_moves);
      const auto pays = [&] { return rule.worth_moving(plan.gain_s, plan.volume); };
      has_moved = when == When::always ? plan.moves > 0 : pays();
      if (!has_moved && when == When::pays)
        if (const std::int64_t moves = rule.affordable_moves(plan.moves); moves > 0) {
          plan = decide(moves);
          has_moved = pays();
        }
      if (has_moved) {
        const std::vector<RankPhase> ranks = simulation.ranks();
        rule.moved(plan.volume, simulation.migrate(plan));
        for (std::size_t rank = 0; rank < program.n_ranks; ++rank)
          windows[rank].rescale(ranks[rank].load_s, plan.rank_loads_s[rank]);
        if (are_changing) {
          for (RankLoadChanges& of_rank : rank_changes) of_rank.clear();
          changing.clear();
        }
      }
    }
    if (after_phase) after_phase(rule, simulation, has_moved);
  }
  return simulation.outcome;
}

}  // namespace plimsoll::balance::testing
