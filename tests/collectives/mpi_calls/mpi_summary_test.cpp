#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_summary.hpp>

#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::collectives {
namespace {

TEST(CallSites, HaveShareOfRunAndImbalance) {
  const MpiCalls calls = example_calls();
  const std::vector<CallSite> sites = list_call_sites(calls);
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(*sites[0].function, "MPI_Allreduce");
  EXPECT_EQ(sites[0].share, 16.0 / 40);
  EXPECT_EQ(sites[0].imbalance, 5.0 / 4 - 1);
  EXPECT_EQ(sites[0].bytes(), 128u);
  EXPECT_EQ(sites[1].imbalance, 0);  // over the three ranks that made the call
}

TEST(CallSites, WaitedForOtherRanksIfTheTimeShowsIt) {
  MpiCalls calls = example_calls();
  const std::vector<CallSite> sites = list_call_sites(calls);
  EXPECT_EQ(sites[0].waited_s, 12);         // beyond the fastest rank
  EXPECT_EQ(sites[1].waited_s, 3);          // a blocking transfer
  EXPECT_EQ(sites[2].waited_s, 2);          // a wait
  calls.sites[0].beyond_fastest_s.reset();  // different numbers of calls
  EXPECT_EQ(list_call_sites(calls)[0].waited_s, std::nullopt);
  calls.sites[0].beyond_fastest_s = 12;
  calls.functions[0].name = "MPI_Iallreduce";  // another call waits
  EXPECT_EQ(list_call_sites(calls)[0].waited_s, std::nullopt);
  calls.functions[1].name = "MPI_Isend";
  EXPECT_EQ(list_call_sites(calls)[1].waited_s, std::nullopt);
}

TEST(CallSites, AreSorted) {
  const MpiCalls calls = example_calls();
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_bytes)[0].function, "MPI_Send");  // first of two with 800 B
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_calls)[0].function, "MPI_Send");
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_wait)[2].function, "MPI_Waitall");
}

TEST(CallSites, HaveShortNames) {
  EXPECT_EQ(short_location("/opt/app(solve+0x1f) [0x1a3f] /src/solve.c:20"), "solve.c:20 (solve)");
  EXPECT_EQ(short_location("/opt/app(ns::run(int)+0x1f) [0x1a3f] run.cpp:7"), "run.cpp:7 (ns::run(int))");
  EXPECT_EQ(short_location("/opt/app(solve+0x1f) [0x1a3f]"), "app(solve+0x1f) [0x1a3f]");
  EXPECT_EQ(short_location("/opt/app [0x1a3f]"), "app [0x1a3f]");
  EXPECT_EQ(short_location("unknown"), "unknown");
  EXPECT_EQ(module_name("/opt/app(solve+0x1f) [0x1a3f] /src/solve.c:20"), "app");
  EXPECT_EQ(module_name("/opt/app [0x1a3f]"), "app");
  EXPECT_EQ(module_name("unknown"), "unknown");
}

}  // namespace

namespace {

TEST(MpiSummary, DividesRunIntoMpiAndRest) {
  const MpiSummary summary = summarize(example_calls());
  EXPECT_EQ(summary.wall_s, 40);
  EXPECT_EQ(summary.longest_wall_s, 10);
  EXPECT_EQ(summary.mpi_s, 21);
  EXPECT_EQ(summary.mpi_share(), 21.0 / 40);
  // Ranks 0 to 2 wait 4 s each for rank 3 in MPI_Allreduce; 2 s are spent in MPI_Waitall, 3 s in MPI_Send.
  EXPECT_EQ(summary.waited_s, 3 * 4 + 2 + 3);
  EXPECT_EQ(summary.ranks[0].waited_s, 4 + 1 + 1);
  EXPECT_EQ(summary.ranks[1].waited_s, 4 + 1);
  EXPECT_EQ(summary.ranks[2].waited_s, 4 + 1);
  EXPECT_EQ(summary.ranks[3].waited_s, 1);
  EXPECT_EQ(summary.nodes, 2u);
}

TEST(MpiSummary, MeasuresBalanceOutsideMpi) {
  const TimeBalance outside = summarize(example_calls()).outside;  // 3, 4, 4 and 8 s
  EXPECT_EQ(outside.mean_s, 19.0 / 4);
  EXPECT_EQ(outside.max_s, 8);
  EXPECT_EQ(outside.max_rank, 3u);
  EXPECT_EQ(outside.min_s, 3);
  EXPECT_EQ(outside.min_rank, 0u);
  EXPECT_DOUBLE_EQ(outside.imbalance(), 8 / (19.0 / 4) - 1);
}

TEST(MpiSummary, SumsFunctionsOverRanksThatCalledThem) {
  const MpiSummary summary = summarize(example_calls());
  ASSERT_EQ(summary.functions.size(), 3u);
  const MpiSummary::Function& allreduce = summary.functions[0];
  EXPECT_EQ(allreduce.name, "MPI_Allreduce");
  EXPECT_EQ(allreduce.ranks, 4u);
  EXPECT_EQ(allreduce.calls, 8u);
  EXPECT_EQ(allreduce.share, 16.0 / 40);
  EXPECT_EQ(allreduce.time.imbalance(), 5.0 / 4 - 1);
  const MpiSummary::Function& send = summary.functions[1];
  EXPECT_EQ(send.name, "MPI_Send");
  EXPECT_EQ(send.ranks, 3u);
  EXPECT_EQ(send.time.imbalance(), 0);
  EXPECT_EQ(summary.ranks[0].waits_s, 1);
  EXPECT_EQ(summary.ranks[1].waits_s, 0);
}

TEST(MpiSummary, SeparatesTrafficBetweenNodes) {
  const MpiSummary::PointToPoint traffic = summarize(example_calls()).point_to_point;
  EXPECT_EQ(traffic.messages, 8);
  EXPECT_EQ(traffic.bytes, 800);
  EXPECT_EQ(traffic.between_nodes_bytes, 400);  // from rank 1 to rank 2
}

TEST(MpiSummary, CountsNoTimeOutsideMpiIfThreadsSpendMoreThanTheRun) {
  MpiCalls calls = example_calls();
  calls.ranks[3].mpi_s = 25;
  const MpiSummary summary = summarize(calls);
  EXPECT_EQ(summary.ranks[3].outside_s, std::nullopt);
  EXPECT_EQ(summary.ranks_beyond_wall_time, 1u);
  EXPECT_EQ(summary.outside.max_s, 4) << "3, 4 and 4 s on the other ranks";
  EXPECT_EQ(summary.outside.mean_s, 11.0 / 3);
}

TEST(MpiSummary, KnowsNoWaitsOfRanksInFilesThatLackThem) {
  MpiCalls calls = example_calls();
  calls.ranks[1].beyond_fastest_s.reset();
  EXPECT_EQ(summarize(calls).ranks[1].waited_s, std::nullopt);
  calls.sites[0].beyond_fastest_s.reset();
  EXPECT_EQ(summarize(calls).ranks[1].waited_s, 1) << "no wait in collectives is known, as in the total";
}

/// Returns calls in which each rank works 6 s, but waits 2 s for others in collectives.
MpiCalls rotating_calls() {
  MpiCalls calls = example_calls();
  for (MpiCalls::Rank& rank : calls.ranks) rank.mpi_s = 4;
  calls.functions[0].time_s = {4, 4, 4, 4};
  calls.sites[0].beyond_fastest_s = 8;
  return calls;
}

TEST(MpiSummary, FindsUnevenCallsBehindEvenTotals) {
  EXPECT_EQ(summarize(example_calls()).uneven_calls_s, 0)
      << "rank 3 works 13 s longer than the mean, times 4";
  const MpiSummary summary = summarize(rotating_calls());
  EXPECT_EQ(summary.outside.imbalance(), 0);
  EXPECT_EQ(summary.uneven_calls_s, 8);
  EXPECT_EQ(summary.uneven_calls_share(), 8.0 / 40);
  MpiCalls with_threads = rotating_calls();
  with_threads.ranks[0].mpi_s = 11;
  EXPECT_EQ(summarize(with_threads).uneven_calls_s, 0);
}

// The ranks work 0.08 s in total, during which the 3 others wait: the waits of 8 s have other causes.
TEST(MpiSummary, AttributesNoMoreWaitsToUnevenCallsThanWorkCauses) {
  MpiCalls calls = rotating_calls();
  for (MpiCalls::Rank& rank : calls.ranks) rank.mpi_s = 9.98;
  EXPECT_NEAR(summarize(calls).uneven_calls_s, 3 * 0.08, 1e-9);
}

TEST(MpiFindings, NameLargestCausesFirst) {
  const Finding placement = {.text = "another placement", .command = "reorder", .share = 0.35};
  const std::vector<Finding> findings = mpi_findings(example_calls(), {"my run", "more"}, placement);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(
      findings[0].text,
      "MPI_Allreduce at solve.c:20 (solve) takes 40.0 % of the run, up to 75.0 % of it waiting for other "
      "ranks");
  EXPECT_EQ(findings[0].command, "plimsoll collectives sites 'my run' more");
  EXPECT_EQ(findings[1].text, "another placement");
  EXPECT_DOUBLE_EQ(findings[2].share.value(), (8 - 4.75) / 10);
  EXPECT_EQ(
      findings[2].text,
      "Rank 3 spends 8.00 s outside MPI, 68.4 % more than the mean: balanced work saves up to 3.25 s (32.5 % "
      "of the run); measure the work in the program to balance it");
  EXPECT_EQ(findings[2].command, "plimsoll collectives sites 'my run' more --sort waited");
  EXPECT_EQ(mpi_findings(example_calls(), {"my run", "more"}).size(), 2u)
      << "half of the data cross nodes, but no better placement is known";
}

TEST(MpiFindings, NameUnevenCallsBehindEvenTotals) {
  const std::vector<Finding> findings = mpi_findings(rotating_calls(), {"."});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(
      findings[1].text,
      "In each collective call, other ranks are late: ranks wait up to 2.00 s (20.0 % of the run) on average "
      "more than their total times outside MPI explain, whose imbalance is 0.0000; measure the work between "
      "the calls in the program to balance it");
  EXPECT_EQ(findings[1].command, "");
}

TEST(MpiFindings, FindNothingToGainInSmallShare) {
  MpiCalls calls;
  calls.ranks = {{"a", 10, 0.1}, {"a", 10, 0.1}};
  const std::vector<Finding> findings = mpi_findings(calls, {"."});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "MPI takes 1.0 % of the run: nothing to gain here");
  EXPECT_EQ(findings[0].command, "");
}

}  // namespace
}  // namespace plimsoll::collectives
