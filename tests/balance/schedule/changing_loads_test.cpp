#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <plimsoll/balance/changing_loads.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using Load = std::function<double(std::size_t rank, int phase)>;

/// Returns the evidence after so many phases.
LoadEvidence evidence_of(std::size_t n_ranks, int n_phases, const Load& load) {
  std::vector<RankLoadChanges> ranks(n_ranks);
  ChangingLoads all;
  for (int phase = 0; phase < n_phases; ++phase) {
    ChangeEvidence evidence;
    for (std::size_t rank = 0; rank < n_ranks; ++rank)
      merge_changes(evidence, ranks[rank].observe({.load_s = load(rank, phase)}));
    all.observe(evidence);
  }
  return all.evidence();
}

double assured_gain_s(const LoadEvidence& evidence) {
  return evidence.max_assured_s - evidence.bound_s();
}

/// The ranks have three times the work in turn, for two phases each.
double in_turn(std::size_t rank, int phase) {
  return static_cast<std::size_t>(phase / 2 % 2) == rank ? 3 : 1;
}

TEST(ChangingLoads, KnowThatLoadsRepeat) {
  const LoadEvidence evidence = evidence_of(2, 12, in_turn);
  EXPECT_DOUBLE_EQ(evidence.max_typical_s, 3);
  EXPECT_DOUBLE_EQ(evidence.bound_s(), 2);
  EXPECT_GT(assured_gain_s(evidence), 0.9);
  EXPECT_LE(assured_gain_s(evidence), 1);
}

TEST(ChangingLoads, KnowThatLoadsDrift) {
  // The work of 20 passes from rank to rank in eight phases each.
  const Load drift = [](std::size_t rank, int phase) {
    return static_cast<std::size_t>(phase / 8 % 4) == rank ? 20.0 : 1.0;
  };
  EXPECT_GT(assured_gain_s(evidence_of(4, 24, drift)), 10);
}

TEST(ChangingLoads, DoNotTakeNoiseForWork) {
  for (const std::size_t n_ranks : {2, 4, 64})
    for (const double noise : {0.02, 0.1, 0.3})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Random random(seed);
        std::vector<double> values;
        for (std::size_t k = 0; k < n_ranks * 16; ++k) {
          double normal = -6;
          for (int draw = 0; draw < 12; ++draw) normal += random.uniform();
          values.push_back(1 + noise * normal);
        }
        const Load load = [&](std::size_t rank, int phase) {
          return std::max(0.0, values[static_cast<std::size_t>(phase) * n_ranks + rank]);
        };
        for (const int n_phases : {5, 8, 12})
          EXPECT_LE(assured_gain_s(evidence_of(n_ranks, n_phases, load)), 0)
              << n_ranks << " ranks, noise " << noise << ", seed " << seed << ", " << n_phases << " phases";
      }
}

TEST(ChangingLoads, KnowNothingAtFirst) {
  EXPECT_EQ(evidence_of(2, 4, in_turn).n_ranks, 0);
  EXPECT_EQ(evidence_of(2, 5, in_turn).n_ranks, 2);
}

// An imbalance that stays needs a placement for the last phase only.
TEST(ChangingLoads, AreNotThoseOfALastingImbalance) {
  const LoadEvidence evidence = evidence_of(2, 12, [](std::size_t rank, int) { return rank == 0 ? 3 : 1; });
  const LoadEvidence typical{.max_typical_s = 3, .sum_typical_s = 4, .max_assured_s = 2.9, .n_ranks = 2};
  EXPECT_GT(assured_gain_s(evidence), 0.8);
  EXPECT_FALSE(is_steadier(evidence, typical));
  EXPECT_TRUE(is_steadier(evidence, {.max_typical_s = 2, .sum_typical_s = 4, .n_ranks = 2}));
}

}  // namespace
}  // namespace plimsoll::balance
