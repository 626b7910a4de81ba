#include <gtest/gtest.h>

#include <plimsoll/balance.hpp>

#include "balance/real_data.hpp"
#include "balance/stats_factory.hpp"

// The expected optima are from an exhaustive search.

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using RealDataOptima = testing::RealData;

/// Returns the maximum work that a strategy reaches.
double max_work(const std::string& name, LDStats stats, const ParameterMap& parameters) {
  const auto strategy = StrategyRegistry::builtin().create(name, parameters);
  strategy->work(stats);
  EXPECT_TRUE(within(Limits(strategy->parameters()), stats, stats.to_proc));
  const Score score = strategy->score(stats, stats.to_proc);
  EXPECT_EQ(score.first, 0);
  if (name == "OptimalLB") {
    EXPECT_NEAR(strategy->remarks().at(0).value, score.second, 1e-9 * score.second) << "not proven";
  }
  return score.second;
}

LDStats with_memory(const lbdata::Dataset& dataset, std::int32_t ranks_per_node = 0) {
  return load_phase(dataset, 0, {.memory = true, .ranks_per_node = ranks_per_node}).stats;
}

TEST_F(RealDataOptima, AreProvenForSyntheticBlocks) {
  const LDStats stats = with_memory(read(blocks), 2);
  const auto optimum = [&](const ParameterMap& parameters) {
    return max_work("OptimalLB", stats, parameters);
  };
  EXPECT_DOUBLE_EQ(optimum({}), 2);
  EXPECT_DOUBLE_EQ(optimum({{"max_memory_bytes", "18"}}), 2);
  EXPECT_DOUBLE_EQ(optimum({{"max_memory_bytes", "27"}}), 2);
  EXPECT_DOUBLE_EQ(optimum({{"max_node_memory_bytes", "36"}}), 2);
  EXPECT_DOUBLE_EQ(optimum({{"beta", "1"}}), 4);
  EXPECT_DOUBLE_EQ(optimum({{"beta", "1"}, {"max_node_memory_bytes", "54"}}), 4);
  EXPECT_DOUBLE_EQ(optimum({{"alpha", "0"}, {"beta", "1"}}), 0);
  EXPECT_DOUBLE_EQ(optimum({{"delta", "0.1"}, {"max_node_memory_bytes", "45"}}), 2.5);
  EXPECT_DOUBLE_EQ(optimum({{"beta", "1"}, {"delta", "0.1"}}), 4.9);
  EXPECT_DOUBLE_EQ(optimum({{"beta", "0.1"}, {"delta", "0.1"}}), 2.9);
}

TEST_F(RealDataOptima, AreProvenForCcmExample) {
  const LDStats stats = with_memory(read("ccm_example/data"));
  EXPECT_DOUBLE_EQ(max_work("OptimalLB", stats, {}), 5.5);
  EXPECT_DOUBLE_EQ(max_work("OptimalLB", stats, {{"beta", "1e-4"}}), 8);
  EXPECT_DOUBLE_EQ(max_work("OptimalLB", stats, {{"beta", "1e-5"}}), 5.75);
}

TEST_F(RealDataOptima, EqualLowerBoundsOfToyProblems) {
  const ParameterMap bound = {{"max_memory_bytes", "8.0e9"}};
  EXPECT_EQ(max_work("OptimalLB", with_memory(read("user-defined-memory-toy-problem/toy_mem")), bound), 87.5);
  EXPECT_EQ(max_work("OptimalLB", with_memory(read(fewer_tasks)), bound), 1003);
}

TEST_F(RealDataOptima, AreReachedByClusterLbOnSyntheticBlocks) {
  const LDStats stats = with_memory(read(blocks), 2);
  for (const char* seed : {"0", "1", "2"}) {
    EXPECT_DOUBLE_EQ(
        max_work("ClusterLB", stats, {{"delta", "0.1"}, {"max_node_memory_bytes", "45"}, {"seed", seed}}),
        2.5);
    EXPECT_DOUBLE_EQ(max_work("ClusterLB", stats, {{"beta", "1"}, {"seed", seed}, {"effort", "200000"}}), 4);
  }
}

TEST_F(RealDataOptima, AreReachedByClusterLbOnSmallToyProblem) {
  const LDStats stats = with_memory(read(fewer_tasks));
  for (const char* seed : {"0", "1", "2", "3", "4", "5", "6", "7"})
    EXPECT_EQ(max_work("ClusterLB", stats, {{"max_memory_bytes", "8.0e9"}, {"seed", seed}}), 1003) << seed;
}

TEST_F(RealDataOptima, AreNearlyReachedOnToyProblemWithHundredsOfTasks) {
  const LDStats stats = with_memory(read(hundreds_of_tasks));
  EXPECT_LE(max_work("ClusterLB", stats, {{"effort", "1000000"}}), 1.0001 * 100'000);
  EXPECT_LE(max_work("ClusterLB", stats, {{"max_blocks_per_rank", "5"}}), 1.005 * 100'000);
}

}  // namespace
}  // namespace plimsoll::balance
