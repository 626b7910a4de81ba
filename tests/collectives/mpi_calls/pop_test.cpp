#include <gtest/gtest.h>

#include <plimsoll/collectives/pop.hpp>

#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::collectives {
namespace {

/// Returns the calls of ranks with these useful times in a run, on one host each or on all the same one.
MpiCalls calls_of(const std::vector<double>& useful, double wall_s, std::size_t ranks_per_node = 1000) {
  MpiCalls calls;
  for (std::size_t k = 0; k < useful.size(); ++k)
    calls.ranks.push_back({.host = "node" + std::to_string(k / ranks_per_node),
                           .wall_s = wall_s,
                           .mpi_s = wall_s - useful[k],
                           .threads = 1});
  return calls;
}

TEST(Efficiencies, OfRampShowLoadBalance) {
  const auto found = efficiencies(calls_of({1, 2, 3, 4}, 4));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->parallel, 0.625);
  EXPECT_DOUBLE_EQ(found->load_balance, 0.625);
  EXPECT_DOUBLE_EQ(found->communication, 1);
  EXPECT_DOUBLE_EQ(found->between_nodes.value(), 1);
  EXPECT_DOUBLE_EQ(found->within_nodes.value(), 0.625);
  EXPECT_EQ(found->serialisation, std::nullopt);
  EXPECT_EQ(found->transfer, std::nullopt);
}

TEST(Efficiencies, OfPipelineShowSerialisation) {
  MpiCalls calls = calls_of({2, 2, 2, 2}, 10);
  calls.ideal_s = 8;
  const auto found = efficiencies(calls);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->load_balance, 1);
  EXPECT_DOUBLE_EQ(found->communication, 0.2);
  EXPECT_DOUBLE_EQ(found->serialisation.value(), 0.25);
  EXPECT_DOUBLE_EQ(found->transfer.value(), 0.8);
  calls.ideal_s = 10.001;  // ranks begin at different times
  EXPECT_DOUBLE_EQ(efficiencies(calls)->transfer.value(), 1);
}

TEST(Efficiencies, OfUnknownCallsAreUnknown) {
  MpiCalls calls = calls_of({4, 2}, 4);
  calls.functions.clear();
  EXPECT_TRUE(efficiencies(calls)) << "the program needs no MPI";
  calls.cut_short = NumberList::up_to(2);
  EXPECT_FALSE(efficiencies(calls)) << "the program called MPI_Abort";
  calls.functions = {{"MPI_Recv", {0, 1}, {0, 2}}};
  EXPECT_TRUE(efficiencies(calls));
}

// The means of the nodes are 2 and 6, the mean of the ranks is 3: nodes weigh as many ranks as they have.
TEST(Efficiencies, DivideLoadBalanceBetweenAndWithinNodesOfDifferentSizes) {
  const auto found = efficiencies(calls_of({1, 2, 3, 6}, 12, 3));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->between_nodes.value(), 0.5);
  EXPECT_DOUBLE_EQ(found->within_nodes.value(), 1);
  EXPECT_DOUBLE_EQ(found->load_balance, 0.5);
  EXPECT_DOUBLE_EQ(found->parallel, 0.25);
  MpiCalls unknown = calls_of({1, 2, 3, 6}, 12);
  unknown.ranks[2].host.clear();
  EXPECT_EQ(efficiencies(unknown)->between_nodes, std::nullopt);
}

// Two threads of rank 0 are outside MPI for 2 and 6 s, rank 1 has one thread.
TEST(Efficiencies, OfThreadsAreMeansOverThem) {
  MpiCalls calls = calls_of({0, 8}, 10);
  calls.ranks[0].threads = 2;
  calls.ranks[0].mpi_s = 8 + 4;
  EXPECT_DOUBLE_EQ(useful_s(calls.ranks[0]).value(), 4);
  EXPECT_DOUBLE_EQ(efficiencies(calls)->load_balance, 0.75);
  calls.ranks[0].threads.reset();
  EXPECT_FALSE(efficiencies(calls)) << "the number of threads is unknown";
  EXPECT_FALSE(efficiencies(calls_of({0, 0}, 10))) << "without work";
}

TEST(Factors, AreProductsOfThoseOneLevelDeeper) {
  MpiCalls calls = calls_of({1, 5, 3, 4, 2}, 12, 2);
  calls.ideal_s = 7;
  const std::vector<Factor> all = factors(efficiencies(calls).value());
  ASSERT_EQ(all.size(), 7u);
  for (const std::size_t parent : {0, 1, 4}) {
    double product = 1;
    for (std::size_t k = parent + 1; k < all.size() && all[k].depth > all[parent].depth; ++k)
      if (all[k].depth == all[parent].depth + 1) product *= all[k].value.value();
    EXPECT_DOUBLE_EQ(product, all[parent].value.value()) << all[parent].name;
    EXPECT_LE(product, 1);
  }
}

// 8 s of work take 2 s on 4 ranks, and 10 s of work 1.5 s on 8 ranks.
TEST(Scaling, ComparesRunsInAscendingOrderOfRanks) {
  const std::vector<ScaledRun> runs = compare_scaling(
      {{"eight", calls_of(std::vector<double>(8, 1.25), 1.5)}, {"four", calls_of({2, 2, 2, 2}, 2)}});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].name, "four");
  EXPECT_DOUBLE_EQ(runs[0].computation.value(), 1);
  EXPECT_DOUBLE_EQ(runs[0].global.value(), 1);
  EXPECT_EQ(runs[1].ranks, 8u);
  EXPECT_DOUBLE_EQ(runs[1].useful_s.value(), 10);
  EXPECT_DOUBLE_EQ(runs[1].computation.value(), 0.8);
  EXPECT_DOUBLE_EQ(runs[1].speedup.value(), 2 / 1.5);
  EXPECT_DOUBLE_EQ(runs[1].global.value(), 0.8 * 1.25 / 1.5);
}

// 4 cores execute 12 x 10^9 instructions each in 2 s, and 8 cores 8 x 10^9 each in 3.2 s.
TEST(Scaling, DividesComputationByCountersIfThoseOfAllRanksAreKnown) {
  const auto with_counters = [](std::size_t ranks, std::uint64_t instructions, std::uint64_t cycles,
                                double user_s) {
    MpiCalls calls = calls_of(std::vector<double>(ranks, user_s), 4);
    for (MpiCalls::Rank& rank : calls.ranks) {
      rank.user_s = user_s;
      rank.instructions = instructions;
      rank.cycles = cycles;
    }
    return calls;
  };
  MpiCalls four = with_counters(4, 12'000'000'000, 6'000'000'000, 2);
  const MpiCalls eight = with_counters(8, 8'000'000'000, 8'000'000'000, 3.2);
  const std::vector<ScaledRun> runs = compare_scaling({{"four", four}, {"eight", eight}});
  ASSERT_TRUE(runs[0].cores && runs[1].cores);
  EXPECT_DOUBLE_EQ(runs[0].cores->per_cycle, 2);
  EXPECT_DOUBLE_EQ(runs[0].cores->frequency_hz, 3e9);
  EXPECT_DOUBLE_EQ(runs[1].instruction_scaling.value(), 0.75);
  EXPECT_DOUBLE_EQ(runs[1].ipc_scaling.value(), 0.5);
  EXPECT_DOUBLE_EQ(runs[1].frequency_scaling.value(), 2.5 / 3);
  EXPECT_DOUBLE_EQ(runs[1].computation.value(), 0.75 * 0.5 * 2.5 / 3) << "no instructions in MPI";
  four.ranks[3].cycles.reset();
  EXPECT_FALSE(core_speed(four));
  EXPECT_EQ(compare_scaling({{"four", four}, {"eight", eight}})[1].ipc_scaling, std::nullopt);
}

TEST(Scaling, KnowsNoFactorsOfRunsWithUnknownThreads) {
  MpiCalls calls = calls_of({1, 2}, 4);
  calls.ranks[0].mpi_s = 5;
  calls.ranks[0].threads.reset();
  const std::vector<ScaledRun> runs = compare_scaling({{"a", calls}, {"b", calls_of({1, 2}, 4)}});
  EXPECT_EQ(runs[0].useful_s, std::nullopt);
  EXPECT_EQ(runs[1].computation, std::nullopt);
  EXPECT_EQ(runs[1].global, std::nullopt);
  EXPECT_TRUE(runs[1].efficiencies);
}

// Another build of the program has other addresses, and the other program another line.
TEST(Scaling, FindsTimeInCallsThatTheFirstRunHasToo) {
  const auto site = [](const std::string& location, double time_s) {
    return MpiCalls::Site{.location = location, .ranks = 1, .calls = 1, .time_s = time_s};
  };
  MpiCalls two = calls_of({1, 1}, 2);
  two.functions = {{"MPI_Send", {1, 1}, {1, 1}}};
  two.sites = {site("/app.2(step+0x9) [0x109] /src/step.c:20", 2)};
  MpiCalls four = calls_of({1, 1, 1, 1}, 2);
  four.functions = {{"MPI_Send", {1, 1, 1, 1}, {1, 1, 1, 1}}};
  four.sites = {site("/app.4(step+0x19) [0x219] /src/step.c:20", 3),
                site("/app.4(step+0x29) [0x229] /src/step.c:30", 1)};
  MpiCalls no_time = calls_of({2, 2, 2, 2, 2}, 2);
  const std::vector<ScaledRun> runs = compare_scaling({{"two", two}, {"four", four}, {"no time", no_time}});
  EXPECT_DOUBLE_EQ(runs[0].at_common_sites, 1);
  EXPECT_DOUBLE_EQ(runs[1].at_common_sites, 0.75);
  EXPECT_DOUBLE_EQ(runs[2].at_common_sites, 1);
}

}  // namespace
}  // namespace plimsoll::collectives
