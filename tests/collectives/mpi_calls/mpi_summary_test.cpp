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

TEST(CallSites, WaitedAsLongAsWasMeasured) {
  MpiCalls calls = example_calls();
  const std::vector<CallSite> sites = list_call_sites(calls);
  EXPECT_EQ(sites[0].waited_s, 12);
  EXPECT_EQ(sites[1].waited_s, std::nullopt) << "a blocking transfer that was not measured";
  EXPECT_EQ(sites[2].waited_s, std::nullopt) << "a wait that was not measured";
  calls.functions[1].name = "MPI_Isend";
  EXPECT_EQ(list_call_sites(calls)[1].waited_s, 0);
}

TEST(CallSites, AreSorted) {
  const MpiCalls calls = example_calls();
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_bytes)[0].function, "MPI_Send");  // first of two with 800 B
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_calls)[0].function, "MPI_Send");
  EXPECT_EQ(*list_call_sites(calls, SiteOrder::by_wait)[0].function, "MPI_Allreduce");
  MpiCalls started = calls;
  started.functions[1].name = "MPI_Isend";
  EXPECT_EQ(*list_call_sites(started, SiteOrder::by_wait)[2].function, "MPI_Isend") << "it cannot wait";
}

TEST(CallSites, HaveShortNames) {
  EXPECT_EQ(short_location("/opt/app(solve+0x1f) [0x1a3f] /src/solve.c:20"), "solve.c:20 (solve)");
  EXPECT_EQ(short_location("/opt/app(ns::run(int)+0x1f) [0x1a3f] run.cpp:7"), "run.cpp:7 (ns::run(int))");
  EXPECT_EQ(short_location("/opt/app(solve+0x1f) [0x1a3f]"), "app(solve+0x1f) [0x1a3f]");
  EXPECT_EQ(short_location("/opt/app [0x1a3f]"), "app [0x1a3f]");
  EXPECT_EQ(short_location("/opt/app(sum.constprop.0+0x1f) [0x1a3f] s.c:2"), "s.c:2 (sum)");
  EXPECT_EQ(short_location("/opt/app(ns::f(int, ...) [clone .isra.0]+0x1f) [0x1a3f] s.cpp:2"),
            "s.cpp:2 (ns::f(int, ...))");
  EXPECT_EQ(short_location("/opt/app(step+0x1f) [0x1a3f] /src/md.f90:12 (line of the function)"),
            "md.f90:12 (step+0x1f, line of the function)");
  EXPECT_EQ(short_location("/opt/app(step.part.0+0x1f) [0x1a3f] /src/md.f90:14 (line of several calls)"),
            "md.f90:14 (step.part.0+0x1f, line of several calls)");
  EXPECT_EQ(short_location("python(step+0x1f) [0x1f] /src/a [0x10] b.py:3"), "a [0x10] b.py:3 (step)");
  EXPECT_EQ(short_location("python(step+0x1f) [0x1f] /src/f(x) [0x10] g.py:3"), "f(x) [0x10] g.py:3 (step)");
  EXPECT_EQ(short_location("/opt/app (old) [0x1a3f] (2)/app(f(int)+0x1f) [0x1a3f] f.c:3"), "f.c:3 (f(int))");
  EXPECT_EQ(module_name("/opt/app (old)/app(f(int)+0x1f) [0x1a3f] f.c:3"), "app");
  EXPECT_EQ(module_name("python(step+0x1f) [0x1f] /src/a [0x10] b.py:3"), "python");
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
  EXPECT_EQ(summary.waited_s, 12) << "ranks 0 to 2 wait 4 s each for rank 3 in MPI_Allreduce";
  EXPECT_EQ(summary.unknown_waits_s, 3 + 2);
  EXPECT_EQ(summary.functions_with_unknown_waits, (std::vector<std::string>{"MPI_Send", "MPI_Waitall"}));
  EXPECT_EQ(summary.ranks[0].waited_s, 4);
  EXPECT_EQ(summary.ranks[3].waited_s, 0);
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
}

TEST(MpiSummary, SeparatesTrafficBetweenNodes) {
  const MpiSummary::PointToPoint traffic = summarize(example_calls()).point_to_point;
  EXPECT_EQ(traffic.messages, 8);
  EXPECT_EQ(traffic.bytes, 800);
  EXPECT_EQ(traffic.between_nodes_bytes, 400);  // from rank 1 to rank 2
}

// Barriers on MPI_COMM_SELF and on all ranks share a site: nobody measured their waits.
TEST(MpiSummary, TellsWhyTransferIsUnknown) {
  MpiCalls calls = example_calls();
  EXPECT_EQ(summarize(calls).transfer_unknown, "they need --record critical-path");
  calls.cut_short.push_back(0);
  EXPECT_EQ(summarize(calls).transfer_unknown, "some ranks did not call MPI_Finalize");
  calls.ideal_unknown = "the program cancelled messages";
  EXPECT_EQ(summarize(calls).transfer_unknown, "the program cancelled messages");
  calls.ideal_s = 9;
  EXPECT_EQ(summarize(calls).transfer_unknown, "");
}

TEST(MpiSummary, BoundsTheErrorOfWaitsByTheClocks) {
  MpiCalls calls = example_calls();
  EXPECT_EQ(summarize(calls).waits_error_s, std::nullopt) << "unknown clocks";
  calls.clock_error_s = 0.25;
  EXPECT_EQ(summarize(calls).waits_error_s, 2) << "8 calls of MPI_Allreduce, in which alone waits are known";
  calls.clock_error_s = 100;
  EXPECT_EQ(summarize(calls).waits_error_s, 21) << "the time in MPI";
}

TEST(MpiSummary, CallsNoUnknownWaitZero) {
  MpiCalls calls;
  calls.ranks.assign(2, {"a", 10, 2});
  calls.functions = {{"MPI_Barrier", {2, 2}, {2, 2}}};
  calls.sites = {{.location = "main.c:3", .ranks = 2, .calls = 4, .time_s = 4}};
  const MpiSummary summary = summarize(calls);
  EXPECT_EQ(summary.waited_s, std::nullopt);
  EXPECT_EQ(summary.unknown_waits_s, 4);
  EXPECT_EQ(summary.ranks[0].waited_s, std::nullopt);
  calls.functions[0].name = "MPI_Ibarrier";
  EXPECT_EQ(summarize(calls).waited_s, 0) << "no call can wait";
}

TEST(MpiSummary, CountsRanksOnWhichNothingWasRecorded) {
  MpiCalls calls = example_calls();
  calls.ranks[0] = {.host = "node0"};
  const MpiSummary summary = summarize(calls);
  EXPECT_EQ(summary.unrecorded_ranks, 1u);
  EXPECT_EQ(summary.threads, 3);
  EXPECT_EQ(summary.ranks_with_unknown_threads, 0u);
  EXPECT_EQ(summary.outside.min_s, 4);
  EXPECT_FALSE(summary.efficiencies);
}

// Four threads spend 9 s of a run of 10 s in MPI each.
TEST(MpiSummary, RelatesTimesToThreadsThatCallMpi) {
  MpiCalls calls;
  calls.ranks = {{.host = "a", .wall_s = 10, .mpi_s = 36, .threads = 4}};
  calls.functions = {{"MPI_Recv", {400}, {36}}};
  calls.sites = {{.location = "main.c:3", .ranks = 1, .calls = 400, .time_s = 36}};
  const MpiSummary summary = summarize(calls);
  EXPECT_DOUBLE_EQ(summary.mpi_share(), 0.9);
  EXPECT_DOUBLE_EQ(summary.functions[0].share, 0.9);
  EXPECT_DOUBLE_EQ(list_call_sites(calls)[0].share, 0.9);
  EXPECT_EQ(summary.ranks[0].mpi_s, 9);
  EXPECT_EQ(summary.ranks[0].outside_s, 1);
}

TEST(MpiSummary, KnowsNoTimeOutsideMpiOfUnknownThreads) {
  MpiCalls calls = example_calls();
  calls.ranks[3].mpi_s = 25;
  calls.ranks[3].threads.reset();
  const MpiSummary summary = summarize(calls);
  EXPECT_EQ(summary.ranks[3].outside_s, std::nullopt);
  EXPECT_EQ(summary.ranks_with_unknown_threads, 1u);
  EXPECT_EQ(summary.outside.max_s, 4) << "3, 4 and 4 s on the other ranks";
  EXPECT_EQ(summary.outside.mean_s, 11.0 / 3);
  EXPECT_FALSE(summary.efficiencies);
  EXPECT_DOUBLE_EQ(summary.mpi_share(), (7 + 6 + 6 + 25) / 60.0) << "at least three threads";
}

}  // namespace
}  // namespace plimsoll::collectives
