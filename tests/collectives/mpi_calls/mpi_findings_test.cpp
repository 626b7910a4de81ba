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
  const std::vector<Finding> findings = mpi_findings(example_calls(), {"my run", "more"}, {placement});
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
  calls.functions.at(calls.sites.at(0).function).name = "MPI_Comm_spawn";
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text,
              HasSubstr("the transfer of data, the start of processes and MPI itself cost 85.0 %"));
}

// Waiting ranks poll for 3 of 10 s. How long they waited in MPI_Recv is unknown.
TEST(MpiFindings, CallUnknownTimesNoTransfers) {
  MpiCalls calls = receiving({7, 7}, 10);
  calls.ideal_s = 7.5;
  EXPECT_EQ(
      mpi_findings(calls, {"."}).at(0).text,
      "Transfer 0.750: the transfer of data and MPI itself cost 25.0 % of the run; the call with the most "
      "time besides measured waiting is MPI_Recv at pipeline.c:20 (main) (30.0 % of the run, an unknown "
      "part of which is waiting)");
  calls.sites[0].waited_s = 1;  // of 6 s
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text,
              HasSubstr("besides waiting is MPI_Recv at pipeline.c:20 (main) (25.0 % of the run)"));
}

// The call that takes the most time is a transfer. Ranks wait 2 of 30 s in another one.
TEST(MpiFindings, ExplainSerialisationByTheCallInWhichRanksWait) {
  MpiCalls calls = receiving({7, 7, 7}, 10);
  calls.ideal_s = 9;
  calls.sites[0].waited_s = 1;
  MpiCalls::Site& waiting = calls.sites.emplace_back(calls.sites[0]);
  waiting.location = "app(main+0x2) [0x2] pipeline.c:30";
  waiting.time_s = waiting.waited_s.emplace(2);
  EXPECT_THAT(
      mpi_findings(calls, {"."}).at(0).text,
      HasSubstr("in turn; the call with the most measured waiting is MPI_Recv at pipeline.c:30 (main) "
                "(6.7 % of the run)"));
}

// The load balance is 7.5 / 8: balanced work gains 5 % of the run.
TEST(MpiFindings, CallNoWorkBalancedThatAnotherFindingBalances) {
  MpiCalls calls = receiving({7, 8}, 10);
  calls.ideal_s = 9;
  const std::vector<Finding> findings = mpi_findings(calls, {"."});
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_THAT(findings[0].text,
              HasSubstr("Serialisation 0.889: ranks wait for the work of others in turn, which"));
  EXPECT_THAT(findings[2].text, HasSubstr("Load balance 0.938"));
}

// Rank 1 computes 9 s and the mean is 7.5 s. It computes 3 s longer than the mean in one place, and 1.5 s
// less in the other.
TEST(MpiFindings, ExplainNoMoreThanAllOfTheDifference) {
  MpiCalls calls = receiving({6, 9}, 10);
  calls.sites[0].work_before = {.sum_s = 12, .busiest_s = 9, .previous_site = 0};
  MpiCalls::Site& elsewhere = calls.sites.emplace_back(calls.sites[0]);
  elsewhere.time_s = 0;
  elsewhere.work_before = {.sum_s = 3, .busiest_s = 0};
  EXPECT_THAT(
      mpi_findings(calls, {"."}).at(0).text,
      HasSubstr("; 100.0 % of the difference is between two calls of MPI_Recv at pipeline.c:20 (main);"));
}

// Ranks poll in MPI for 7 of 10 s, of which they have no core for 5 s. Their time outside MPI is all on a
// core.
TEST(MpiFindings, BeginWithLackOfCoresInMpi) {
  MpiCalls calls = receiving({3, 3}, 10);
  for (MpiCalls::Rank& rank : calls.ranks) {
    rank.user_s = 5;
    rank.system_s = 0;
    rank.core_wait_s = 5;
    rank.cores = NumberList::up_to(2);
  }
  calls.ideal_s = 4;
  const std::vector<Finding> findings = mpi_findings(calls, {"."});
  EXPECT_EQ(findings.at(0).text,
            "Ranks were ready to run, but had no core, for 50.0 % of the run, in part of which they may "
            "have waited for other ranks: other "
            "threads or processes used their cores, or a limit applied; measure again on free cores");
  EXPECT_THAT(findings.at(1).text,
              HasSubstr("Transfer 0.400: the transfer of data, MPI itself and ranks without "
                        "a core in MPI cost 60.0 % of the run"));
  EXPECT_THAT(
      findings.at(2).text,
      HasSubstr("Serialisation 0.750: ranks wait for others in turn, some of which may have had no core"));
  calls.ideal_s.reset();
  EXPECT_THAT(
      mpi_findings(calls, {"."}).at(1).text,
      HasSubstr("Communication efficiency 0.300: the order of the work, the network, MPI itself or the "
                "lack of cores limits the run"));
  for (MpiCalls::Rank& rank : calls.ranks) rank.waited_s = 4.1;  // without need of a core
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text,
              HasSubstr("Communication efficiency 0.300: the work is"));
}

// Each of four ranks on two cores computes 8 s of 10 s, but for 2 s on a core.
// MPI_Recv takes 2 of the 7 s in which they had none, and may have waited meanwhile.
TEST(MpiFindings, BeginWithOversubscription) {
  MpiCalls calls = receiving({8, 8, 8, 8}, 10);
  for (MpiCalls::Rank& rank : calls.ranks) {
    rank.user_s = 2;
    rank.system_s = 0;
    rank.core_wait_s = 7;
    rank.cores = NumberList::up_to(2);
  }
  EXPECT_EQ(mpi_findings(calls, {"."}).at(0).text,
            "Ranks were ready to run, but had no core, for at least 50.0 % of the run, besides waiting for "
            "other ranks: "
            "oversubscribed (4 ranks may use 2 cores of a); start at most one of them per core");
  for (MpiCalls::Rank& rank : calls.ranks) rank.cores = NumberList::up_to(4);
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text,
              HasSubstr("other threads or processes used their cores"));
  for (MpiCalls::Rank& rank : calls.ranks) rank.core_wait_s = 0.9;
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text,
              HasSubstr("most of it, they slept or waited outside MPI"));
  for (MpiCalls::Rank& rank : calls.ranks) rank.user_s = 7.7;
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text, Not(HasSubstr("off the processor"))) << "3.75 %";
}

// Ten ranks work in turn, each for 1 s, of which it has a core for 0.85 s: 1.5 % of the sum of their times,
// but 15 % of the run.
TEST(MpiFindings, BeginWithCoresThatTheLongestChainLacked) {
  MpiCalls calls = receiving(std::vector<double>(10, 1), 10);
  for (MpiCalls::Rank& rank : calls.ranks) {
    rank.user_s = 0.85;
    rank.system_s = 0;
    rank.core_wait_s = 1;
    rank.waited_s = 9;
  }
  EXPECT_THAT(mpi_findings(calls, {"."}).at(0).text, HasSubstr("Communication efficiency 0.100"));
  calls.ideal_s = 10;
  EXPECT_EQ(mpi_findings(calls, {"."}).at(0).text,
            "Ranks were outside MPI but off the processor for at least 15.0 % of that time: they slept, "
            "waited for files, or had no core");
  EXPECT_THAT(mpi_findings(calls, {"."}).at(1).text, HasSubstr("Serialisation 0.100"));
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

TEST(MpiFindings, ConcernNoCallsThatAreUnknown) {
  MpiCalls calls = receiving({9, 5}, 10);
  calls.cut_short = NumberList::up_to(2);
  EXPECT_FALSE(mpi_findings(calls, {"."}).empty());
  calls.functions.clear();
  calls.sites.clear();
  EXPECT_TRUE(mpi_findings(calls, {"."}).empty()) << "the program called MPI_Abort at once";
}

TEST(MpiFindings, FindNothingToGainInSmallShare) {
  std::vector<Finding> findings = mpi_findings(receiving({9.9, 9.9}, 10), {"."});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "MPI takes 1.0 % of the run: nothing to gain here");
  EXPECT_EQ(findings[0].command, "");
  findings = mpi_findings(receiving({9.9, 9.85, 9.6}, 10), {"."});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text,
            "MPI takes 2.2 % of the run, but neither load balance nor communication costs 2.0 % or more");
  MpiCalls calls = receiving({9.63, 9.63}, 10);
  calls.ideal_s = 9.82;  // serialisation costs 1.9 %, and transfer 1.8 %
  EXPECT_EQ(
      mpi_findings(calls, {"."}).at(0).text,
      "MPI takes 3.7 % of the run, but neither load balance nor serialisation nor transfer costs 2.0 % or "
      "more");
}

}  // namespace
}  // namespace plimsoll::collectives
