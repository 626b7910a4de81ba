#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "balance/schedule/simulated_program.hpp"
#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::simulate;
using testing::SimulatedProgram;
using testing::SimulatedRun;
using testing::When;

/// Busy process next to one rank for 1 to 20 phases, then next to another one.
std::function<double(std::size_t, int)> busy_process(std::size_t n_ranks, int n_phases, std::uint64_t seed) {
  Random random(seed);
  std::size_t rank = 0;
  std::vector<std::pair<std::size_t, double>> victims;  // rank and slowdown, per phase
  while (std::cmp_less(victims.size(), n_phases)) {
    rank = (rank + 1 + random.next() % (n_ranks - 1)) % n_ranks;
    const double slowdown = 1.5 + 0.5 * random.uniform();
    victims.insert(victims.end(), 1 + random.next() % 20, {rank, slowdown});
  }
  return [victims](std::size_t of, int phase) {
    const auto& [victim, slowdown] = victims[static_cast<std::size_t>(phase)];
    return of == victim ? slowdown : 1.0;
  };
}

/// White noise of a rank, with this relative standard deviation.
std::function<double(std::size_t, int)> white_noise(double width, std::uint64_t seed) {
  return [=](std::size_t rank, int phase) {
    Random random(seed * 1000003 + rank * 1009 + static_cast<std::uint64_t>(phase) * 7919);
    double normal = -6;  // sum of 12 uniform numbers: nearly a normal distribution
    for (int k = 0; k < 12; ++k) normal += random.uniform();
    return std::max(0.05, 1 + width * normal);
  };
}

/// Cores that are slower by 20 % for some phases, independently of each other and a third of the time.
std::function<double(std::size_t, int)> slow_spells(std::size_t n_ranks, int n_phases, int mean_length,
                                                    std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<double>> of_rank(n_ranks);
  for (std::vector<double>& slowdown : of_rank) {
    bool is_slow = random.uniform() < 1.0 / 3;
    while (std::cmp_less(slowdown.size(), n_phases)) {
      const double mean = is_slow ? mean_length : 2 * mean_length;
      const auto length = static_cast<std::size_t>(1 - mean * std::log(1 - random.uniform()));
      slowdown.insert(slowdown.end(), length, is_slow ? 1.2 : 1.0);
      is_slow = !is_slow;
    }
  }
  return [=](std::size_t rank, int phase) { return of_rank[rank][static_cast<std::size_t>(phase)]; };
}

/// Returns the load of a program in which the objects of rank 0 have `factor` times the load of the others
/// from a phase on.
std::function<double(std::size_t, int)> heavy_first_rank(std::size_t per_rank, double factor, int from = 0) {
  return [=](std::size_t object, int phase) { return object < per_rank && phase >= from ? factor : 1.0; };
}

/// Runs `check` for 2 to 32 ranks, with and without other processes in the last phases.
void for_each_program(const std::function<void(SimulatedProgram)>& check) {
  for (const bool is_disturbed : {false, true}) {
    for (const std::size_t n_ranks : {2, 4, 32}) {
      SCOPED_TRACE(::testing::Message() << n_ranks << " ranks, " << (is_disturbed ? "disturbed" : "alone"));
      check({.n_ranks = n_ranks, .noise = white_noise(0.02, 7), .is_disturbed = is_disturbed});
    }
  }
}

/// Outcomes of balancing in every phase, which do not depend on what the ranks know.
class Always {
 public:
  const SimulatedRun& of(const SimulatedProgram& program) {
    const auto [at, is_new] = of_ranks_.try_emplace(program.n_ranks);
    if (is_new) at->second = simulate(program, When::always);
    return at->second;
  }

 private:
  std::map<std::size_t, SimulatedRun> of_ranks_;
};

TEST(BenefitSimulation, MovesNothingForWhiteNoise) {
  for_each_program([](SimulatedProgram program) {
    for (const double width : {0.05, 0.1, 0.2, 0.3})
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        program.noise = white_noise(width, seed);
        EXPECT_LE(simulate(program, When::pays).moved_share, 0.05) << width << ' ' << seed;
      }
  });
}

TEST(BenefitSimulation, BalancesAlthoughAllCoresChangeTheirSpeed) {
  for_each_program([](SimulatedProgram program) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      program.noise = [own = white_noise(0.02, seed), of_all = white_noise(0.2, seed + 100)](
                          std::size_t rank, int phase) { return own(rank, phase) * of_all(0, phase); };
      program.load = heavy_first_rank(program.objects_per_rank, 1);
      EXPECT_LE(simulate(program, When::pays).moved_share, 0.05) << seed;
      program.load = heavy_first_rank(program.objects_per_rank, 2);
      const SimulatedRun pays = simulate(program, When::pays);
      ASSERT_FALSE(pays.move_phases.empty()) << seed;
      EXPECT_LE(pays.move_phases[0], 40) << seed;
    }
  });
}

TEST(BenefitSimulation, MovesNothingNextToABusyProcess) {
  for_each_program([](SimulatedProgram program) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      program.slowdown = busy_process(program.n_ranks, program.n_phases, seed);
      EXPECT_LE(simulate(program, When::pays).moved_share, 0.05) << seed;
    }
  });
}

TEST(BenefitSimulation, MovesNothingNextToAProcessThatStays) {
  for_each_program([](SimulatedProgram program) {
    for (const double slowdown : {1.3, 1.7, 2.5}) {
      program.slowdown = [slowdown](std::size_t rank, int phase) {
        return rank == 0 && phase >= 20 && phase < 90 ? slowdown : 1.0;
      };
      EXPECT_LE(simulate(program, When::pays).moved_share, 0.05) << slowdown;
    }
  });
}

TEST(BenefitSimulation, BalancesAHeavyRankAtOnce) {
  Always always;
  for_each_program([&](SimulatedProgram program) {
    program.load = heavy_first_rank(program.objects_per_rank, 9);
    const SimulatedRun pays = simulate(program, When::pays);
    ASSERT_FALSE(pays.move_phases.empty());
    EXPECT_LE(pays.move_phases[0], program.n_ranks == 2 ? 1 : 2);
    EXPECT_LE(pays.time_s, 1.05 * always.of(program).time_s);
  });
}

TEST(BenefitSimulation, BalancesAModerateImbalanceOnceItIsSure) {
  for_each_program([](SimulatedProgram program) {
    program.load = heavy_first_rank(program.objects_per_rank, 1.5);
    const SimulatedRun pays = simulate(program, When::pays);
    ASSERT_FALSE(pays.move_phases.empty());
    EXPECT_LE(pays.move_phases[0], !program.is_disturbed ? 5 : 20);
    EXPECT_LE(pays.time_s, 0.9 * simulate(program, When::never).time_s);
  });
}

TEST(BenefitSimulation, FollowsASuddenChange) {
  for (const double factor : {1.5, 3.0}) {
    Always always;
    for_each_program([&](SimulatedProgram program) {
      program.load = heavy_first_rank(program.objects_per_rank, factor, 40);
      const SimulatedRun pays = simulate(program, When::pays);
      ASSERT_FALSE(pays.move_phases.empty());
      EXPECT_GE(pays.move_phases[0], 40);
      EXPECT_LE(pays.move_phases[0], !program.is_disturbed ? 43 : 45) << factor;
      EXPECT_LE(pays.time_s, 1.02 * always.of(program).time_s);
    });
  }
}

// A core can become slower for a while without a process that shares it, for example because of its clock.
TEST(BenefitSimulation, WaitsUntilASlowdownHasLastedAsLongAsTheMigrationTakes) {
  SimulatedProgram program{.n_ranks = 2, .objects_per_rank = 16'000, .n_phases = 60, .is_disturbed = false};
  const auto slow_for = [](int n_phases) {
    return [n_phases](std::size_t rank, int phase) {
      return rank == 1 && phase >= 40 && phase < 40 + n_phases ? 1.3 : 1.0;
    };
  };
  // Balancing would gain 15 ms per phase, but move some 2,000 objects, which is expected to take 40 ms.
  program.noise = slow_for(2);
  EXPECT_EQ(simulate(program, When::pays).moved_share, 0);
  program.noise = slow_for(20);
  const SimulatedRun pays = simulate(program, When::pays);
  ASSERT_FALSE(pays.move_phases.empty());
  EXPECT_GE(pays.move_phases[0], 42);
  EXPECT_LE(pays.move_phases[0], 46);
}

TEST(BenefitSimulation, MovesLittleForCoresThatAreSlowAgainAndAgain) {
  for (const int mean_length : {2, 5, 10, 20}) {
    double time_s = 0;
    double time_without_s = 0;
    double moved_share = 0;
    constexpr int seeds = 5;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SimulatedProgram program{.n_ranks = 2, .objects_per_rank = 8000, .is_disturbed = false};
      program.noise = [spells = slow_spells(program.n_ranks, program.n_phases, mean_length, seed),
                       white = white_noise(0.02, seed)](std::size_t rank, int phase) {
        return spells(rank, phase) * white(rank, phase);
      };
      const SimulatedRun pays = simulate(program, When::pays);
      time_s += pays.time_s;
      time_without_s += simulate(program, When::never).time_s;
      moved_share += pays.moved_share / seeds;
    }
    EXPECT_LE(time_s, 1.04 * time_without_s) << mean_length;
    EXPECT_LE(moved_share, 0.11) << mean_length;
  }
}

TEST(BenefitSimulation, FollowsAGrowingRank) {
  for_each_program([](SimulatedProgram program) {
    program.load = [per_rank = program.objects_per_rank](std::size_t object, int phase) {
      return object < per_rank ? 1 + 0.03 * phase : 1.0;
    };
    // On 2 ranks, a placement without imbalance needs 72 % of the time without balancing.
    EXPECT_LE(simulate(program, When::pays).time_s, 0.8 * simulate(program, When::never).time_s);
  });
}

TEST(BenefitSimulation, FollowsADriftingHotSpot) {
  for_each_program([](SimulatedProgram program) {
    program.load = [n = static_cast<double>(program.n_objects())](std::size_t object, int phase) {
      const double distance = static_cast<double>(object) / n - phase / 100.0;
      return 0.2 + 3 * std::exp(-100 * distance * distance);
    };
    EXPECT_LE(simulate(program, When::pays).time_s, 0.8 * simulate(program, When::never).time_s);
  });
}

TEST(BenefitSimulation, MovesLessThanBalancingAlways) {
  Always always;
  for_each_program([&](SimulatedProgram program) {
    program.load = heavy_first_rank(program.objects_per_rank, 3);
    EXPECT_LE(simulate(program, When::pays).moved_share, 0.1 * always.of(program).moved_share);
  });
}

}  // namespace
}  // namespace plimsoll::balance
