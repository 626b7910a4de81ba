// Walks a grid of simulated programs: work that is uniform, jumps, flips, drifts and grows; objects of 1 kB
// to 100 MB; 2 and 4 ranks; alone, and next to a process that uses one core after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "balance/schedule/scenarios.hpp"
#include "balance/schedule/simulated_program.hpp"
#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::simulate;
using testing::SimulatedProgram;
using testing::Simulation;
using testing::When;
using testing::WorkLaw;

constexpr int n_phases = 100;

double uniform(std::uint64_t seed) {
  return Random(seed).uniform();
}

SimulatedProgram program_of(const WorkLaw& law, std::size_t n_ranks, double object_bytes, bool is_busy) {
  const std::size_t per_rank = object_bytes > 1e7 ? 8 : 32;
  SimulatedProgram program{.n_ranks = n_ranks,
                           .objects_per_rank = per_rank,
                           .n_phases = n_phases,
                           .mean_load_s = 0.02,
                           .object_bytes = object_bytes};
  program.load = [law, n_objects = program.n_objects(), n_ranks](std::size_t object, int phase) {
    return law.work(object, n_objects, n_ranks, phase, n_phases);
  };
  program.noise = [is_busy](std::size_t rank, int phase) {
    const auto seed = static_cast<std::uint64_t>(phase) * 131 + rank;
    return 0.98 + 0.04 * uniform(seed) + (is_busy ? 0.1 * uniform(seed / 977) : 0);
  };
  program.slowdown = [is_busy, n_ranks](std::size_t rank, int phase) {
    if (!is_busy) return 1.0;
    const std::size_t victim = Random(static_cast<std::uint64_t>(phase / 9)).next() % n_ranks;
    return rank == victim ? 1.6 + 0.6 * uniform(static_cast<std::uint64_t>(phase)) : 1;
  };
  program.is_disturbed = is_busy;
  program.decision_s = 200e-6;
  program.latency_s = 200e-6;
  program.s_per_object = 20e-6;
  program.s_per_byte = 0.5e-9;
  program.first_migration_factor = 1.5;
  return program;
}

void for_each_cell(const std::function<void(const SimulatedProgram&)>& check) {
  for (const bool is_busy : {false, true})
    for (const double object_bytes : {1e3, 1e6, 1e8})
      for (const std::size_t n_ranks : {2, 4})
        for (const WorkLaw& law : testing::work_laws()) {
          SCOPED_TRACE(::testing::Message() << law.name << ", " << n_ranks << " ranks, objects of "
                                            << object_bytes << " bytes, " << (is_busy ? "busy" : "alone"));
          check(program_of(law, n_ranks, object_bytes, is_busy));
        }
}

/// Checks that the numbers of a refusal imply it.
void expect_implied(const BenefitRule& rule, int phase) {
  using enum Refusal::Reason;
  const Refusal& refusal = rule.refusal();
  const double gain_s = refusal.gain_s * refusal.phases;
  switch (refusal.reason) {
    case first_phases: EXPECT_LT(phase, 1); break;
    case even: EXPECT_LE(refusal.max_load_s, 1.02 * refusal.bound_s); break;
    case heaviest_object: EXPECT_LE(refusal.max_load_s, refusal.bound_s); break;
    case uncertain:
      EXPECT_LE(refusal.assured_load_s, refusal.bound_s);
      EXPECT_GT(refusal.max_load_s, refusal.bound_s);
      break;
    case decision:
    case price: EXPECT_LE(gain_s, refusal.price_s); break;
    case budget:
      EXPECT_GT(refusal.price_s, refusal.budget_s);
      if (refusal.price_s <= refusal.max_load_s) {
        EXPECT_LE(gain_s, refusal.price_s * (1 + 40 * refusal.price_s / refusal.elapsed_s));
      }
      break;
    case no_placement: EXPECT_TRUE(refusal.gain_s <= 0 || refusal.volume.objects == 0); break;
    case none: ADD_FAILURE() << "phase " << phase << " has no reason";
  }
  if (refusal.phases_to_wait > 0) {
    EXPECT_LT(rule.assured_gain_s(), refusal.awaited_gain_s);
  }
}

TEST(ScenarioGrid, CostsLittleAndExplainsEachRefusal) {
  for_each_cell([](const SimulatedProgram& program) {
    const double never_s = simulate(program, When::never).time_s;
    const auto check = [](const BenefitRule& rule, const Simulation& simulation, bool has_moved) {
      if (!has_moved) expect_implied(rule, simulation.phase());
    };
    EXPECT_LE(simulate(program, When::pays, check).time_s, 1.03 * never_s);
  });
}

// Perfect balancing would take the time of the mean load.
TEST(ScenarioGrid, ReachesMostOfTheSavingsOfSmallObjects) {
  for (const std::size_t n_ranks : {2, 4})
    for (const char* const name :
         {"uneven", "jump", "flip_2", "flip_10", "flip_25", "drift_slow", "drift", "drift_fast", "growth"})
      for (const bool is_busy : {false, true}) {
        SCOPED_TRACE(::testing::Message() << name << ", " << n_ranks << " ranks, " << is_busy);
        const auto law = std::ranges::find(testing::work_laws(), name, &WorkLaw::name);
        ASSERT_NE(law, testing::work_laws().end());
        const SimulatedProgram program = program_of(*law, n_ranks, 1e3, is_busy);
        const double never_s = simulate(program, When::never).time_s;
        const double best_s = simulate(program, When::always).time_s;
        EXPECT_GE(never_s - simulate(program, When::pays).time_s, 0.7 * (never_s - best_s));
      }
}

// 200 MB for 0.9 ms per phase never pay within 100 phases; for 100 ms in each of 3,000 phases they do.
TEST(ScenarioGrid, MovesLargeObjectsOnlyForLargeGains) {
  SimulatedProgram program{.n_ranks = 2,
                           .objects_per_rank = 2,
                           .mean_load_s = 0.0018,
                           .object_bytes = 100e6,
                           .is_disturbed = false,
                           .latency_s = 1e-4,
                           .s_per_byte = 0.3e-9};
  program.load = [](std::size_t object, int) { return object < 2 ? 1.5 : 0.5; };
  EXPECT_EQ(simulate(program, When::pays).moved_share, 0);
  program.mean_load_s = 0.2;
  program.n_phases = 3000;
  const testing::SimulatedRun pays = simulate(program, When::pays);
  ASSERT_FALSE(pays.move_phases.empty());
  EXPECT_LE(pays.move_phases[0], 30);
}

}  // namespace
}  // namespace plimsoll::balance
