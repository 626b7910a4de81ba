#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_findings.hpp>

#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::collectives {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the calls of ranks that spend the rest of their wall time in MPI_Recv at one line.
MpiCalls receiving(const std::vector<double>& outside_s, double wall_s) {
  MpiCalls calls;
  MpiCalls::Function function{.name = "MPI_Recv", .calls = {}, .time_s = {}};
  MpiCalls::Site site{.location = "app(main+0x1) [0x1] pipeline.c:20"};
  for (const double time_s : outside_s) {
    calls.ranks.push_back({.host = "a", .wall_s = wall_s, .mpi_s = wall_s - time_s, .threads = 1});
    function.calls.push_back(1);
    function.time_s.push_back(wall_s - time_s);
    site.time_s += wall_s - time_s;
    ++site.ranks;
    ++site.calls;
  }
  calls.functions.push_back(function);
  calls.sites.push_back(site);
  return calls;
}

// Rank 3 computes 8 of 10 s, and the mean is 4.75 s. Node 1 computes 6 s on average.
TEST(MpiFindings, NameLargestCausesFirst) {
  const Finding placement = {.text = "another placement", .command = "reorder", .share = 0.25};
  const std::vector<Finding> findings = mpi_findings(example_calls(), {"my run", "more"}, placement);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_DOUBLE_EQ(findings[0].share.value(), (8 - 4.75) / 10);
  EXPECT_EQ(findings[0].text,
            "Load balance 0.594: rank 3 is outside MPI for 1.68 x the mean; with balanced work and the same "
            "time in MPI, "
            "the run is 1.48 x as fast; measure the work there to balance it");
  EXPECT_EQ(findings[0].command, "plimsoll collectives sites 'my run' more --sort waited");
  EXPECT_EQ(findings[1].text, "another placement");
  EXPECT_EQ(
      findings[2].text,
      "Communication efficiency 0.800: even rank 3, which has the most time outside MPI, spends 20.0 % of "
      "the run in MPI; the call with the most time is MPI_Allreduce at solve.c:20 (solve) (40.0 % of the "
      "run)");
  EXPECT_EQ(findings[2].command, "plimsoll collectives sites 'my run' more");
  EXPECT_EQ(mpi_findings(example_calls(), {"my run", "more"}).size(), 2u)
      << "half of the data cross nodes, but no better placement is known";
}

TEST(MpiFindings, NameBusiestNodeIfItExplainsMost) {
  MpiCalls calls = receiving({4, 4, 7, 9}, 10);
  for (std::size_t rank = 2; rank < 4; ++rank) calls.ranks[rank].host = "b";
  EXPECT_THAT(
      mpi_findings(calls, {"."}).at(0).text,
      HasSubstr("Load balance between nodes 0.750: the ranks on b are outside MPI for 1.33 x the mean of "
                "all; rank 3 is outside MPI for 1.50 x the mean; "));
}

// Rank 1 computes 9 s and the mean is 6 s. It spends 2.5 of the 3 s between the two calls.
TEST(MpiFindings, NameTheCallsBetweenWhichTheWorkDiffers) {
  MpiCalls calls = receiving({3, 9, 6}, 10);
  MpiCalls::Site& before = calls.sites.emplace_back(calls.sites[0]);
  before.location = "app(main+0x2) [0x2] pipeline.c:30";
  before.time_s = 0;
  calls.sites[0].work_before = {.sum_s = 15, .busiest_s = 7.5, .previous_site = 1};
  before.work_before = {.sum_s = 3, .busiest_s = 1.5};
  const auto load_balance = [&] { return mpi_findings(calls, {"."}).at(0).text; };
  EXPECT_THAT(load_balance(),
              HasSubstr("rank 1 is outside MPI for 1.50 x the mean; 83.3 % of the difference is between "
                        "MPI_Recv at pipeline.c:30 (main) and MPI_Recv at pipeline.c:20 (main); with"));
  calls.sites[0].work_before->previous_site.reset();
  EXPECT_THAT(load_balance(), HasSubstr("the difference is before MPI_Recv at pipeline.c:20 (main); with"));
  calls.sites[0].work_before->busiest_s = 6.4;  // 1.4 of 3 s
  EXPECT_THAT(load_balance(), Not(HasSubstr("the difference")));
  before.work_before->busiest_s = 2.6;  // 1.6 of 3 s
  EXPECT_THAT(
      load_balance(),
      HasSubstr("; 53.3 % of the difference is before MPI_Recv at pipeline.c:30 (main), 46.7 % before "
                "MPI_Recv at pipeline.c:20 (main); with"));
}

TEST(MpiFindings, AskNobodyToBalanceTheWorkOfAPipeline) {
  MpiCalls calls = receiving({2.5, 2.5, 2.5, 2.5}, 10);
  std::vector<Finding> findings = mpi_findings(calls, {"."});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(
      findings[0].text,
      "Communication efficiency 0.250: the work is balanced (load balance 1.000), so its order, the network "
      "or MPI itself limits the run; the call with the most time is MPI_Recv at pipeline.c:20 (main) (75.0 % "
      "of the run)");
  calls.ranks[0].waited_s = 7;  // of 7.5 s
  EXPECT_THAT(
      mpi_findings(calls, {"."}).at(0).text,
      HasSubstr("Communication efficiency 0.250: the work is balanced (load balance 1.000), but its order "
                "is not: ranks wait for the work of others in turn; the call"));
  calls.ideal_s = 9.9;
  findings = mpi_findings(calls, {"."});
  ASSERT_EQ(findings.size(), 1u) << "transfers take 1 % of the run";
  EXPECT_THAT(findings[0].text,
              HasSubstr("Serialisation 0.253: the work is balanced (load balance 1.000), but "));
  EXPECT_DOUBLE_EQ(findings[0].share.value(), 0.74);
}

TEST(MpiFindings, BlameTransfersIfTheyTakeTheTime) {
  MpiCalls calls = receiving({1, 1}, 10);
  calls.ideal_s = 1.5;
  const std::vector<Finding> findings = mpi_findings(calls, {"."});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0].text,
              HasSubstr("Transfer 0.150: the transfer of data and MPI itself cost 85.0 % of the run"));
  EXPECT_THAT(findings[1].text, HasSubstr("Serialisation 0.667: "));
}

// Each of four ranks on two cores computes 8 s of 10 s, but for 2 s on a core.
TEST(MpiFindings, BeginWithOversubscription) {
  MpiCalls calls = receiving({8, 8, 8, 8}, 10);
  for (MpiCalls::Rank& rank : calls.ranks) {
    rank.user_s = 2;
    rank.system_s = 0;
    rank.core_wait_s = 7;
    rank.cores = NumberList::up_to(2);
  }
  EXPECT_EQ(
      mpi_findings(calls, {"."}).at(0).text,
      "Ranks were outside MPI but off the processor for at least 60.0 % of the run: oversubscribed (4 ranks "
      "may use 2 cores of a); start at most one of them per core");
  for (MpiCalls::Rank& rank : calls.ranks) rank.cores = NumberList::up_to(4);
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text, HasSubstr("most of it, they were ready, but other"));
  for (MpiCalls::Rank& rank : calls.ranks) rank.core_wait_s = 1;
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text,
              HasSubstr("most of it, they slept or waited outside MPI"));
  for (MpiCalls::Rank& rank : calls.ranks) rank.user_s = 7.7;
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text, Not(HasSubstr("off the processor"))) << "3.75 %";
}

TEST(MpiFindings, AskNobodyToBalanceTimeWithoutProcessor) {
  MpiCalls calls = receiving({8, 4, 4, 4}, 10);
  calls.ranks[0].user_s = 4;
  calls.ranks[0].system_s = 0;
  EXPECT_THAT(
      mpi_findings(calls, {"."}).at(1).text,
      HasSubstr("Load balance 0.625: rank 0 is outside MPI for 1.60 x the mean; this includes the time "
                "without a processor, so measure again on free cores before you balance it"));
}

// Rank 0 has a core for 3 s outside MPI at least, and the others for 1 s at most.
TEST(MpiFindings, NameBusiestRankByCpuTimeIfCoresLack) {
  MpiCalls calls = receiving({10, 5, 5, 5}, 10);
  for (MpiCalls::Rank& rank : calls.ranks) {
    rank.user_s = &rank == calls.ranks.data() ? 3 : 1;
    rank.system_s = 0;
    rank.core_wait_s = 9;
  }
  EXPECT_THAT(mpi_findings(calls, {"."}).at(1).text,
              ::testing::EndsWith("; by CPU time, rank 0 computes at least 2.00 x the mean"));
  for (MpiCalls::Rank& rank : calls.ranks) rank.user_s = 3;  // 2 s of which may be in MPI
  EXPECT_THAT(mpi_findings(calls, {"."}).at(1).text, Not(HasSubstr("by CPU time")));
  calls.ranks[3].user_s.reset();
  EXPECT_THAT(mpi_findings(calls, {"."}).at(1).text, Not(HasSubstr("by CPU time")));
}

TEST(MpiFindings, NameTheCallIfThreadsAreUnknown) {
  MpiCalls calls = receiving({2, 2}, 10);
  calls.ranks[0].mpi_s = 16;
  calls.ranks[0].threads.reset();
  EXPECT_EQ(mpi_findings(calls, {"."}).at(0).text,
            "MPI_Recv at pipeline.c:20 (main) takes 53.3 % of the run");
}

TEST(MpiFindings, FindNothingToGainInSmallShare) {
  std::vector<Finding> findings = mpi_findings(receiving({9.9, 9.9}, 10), {"."});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "MPI takes 1.0 % of the run: nothing to gain here");
  EXPECT_EQ(findings[0].command, "");
  findings = mpi_findings(receiving({9.9, 9.85, 9.6}, 10), {"."});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text,
            "MPI takes 2.2 % of the run, but load balance and communication cost less than 2.0 % each");
}

}  // namespace
}  // namespace plimsoll::collectives
