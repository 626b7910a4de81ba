#include "runtime/recording/phase_reduction.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using lbdata::CommCategory;

EdgeTable::Edge edge(std::uint64_t from, std::uint64_t to, CommCategory category, std::uint64_t bytes,
                     bool off_rank) {
  return {.from = ObjectId{from},
          .to = ObjectId{to},
          .bytes = bytes,
          .messages = 1,
          .category = category,
          .off_rank = off_rank};
}

TEST(PhaseReduction, SummarisesLoadsOfAllRanks) {
  PhaseReduction both;
  both.add_loads({1, 2});
  both.over_ranks.duration_s = 3.5;
  PhaseReduction other;
  other.add_loads({5});
  other.over_ranks.duration_s = 5.25;
  merge_reductions(both, other);

  const PhaseSummary summary = both.summary(4, {.total_s = 3.5});
  EXPECT_EQ(summary.phase, 4);
  EXPECT_EQ(summary.times.total_s, 3.5);
  EXPECT_EQ(summary.duration_s, 5.25);
  EXPECT_EQ(summary.object_load_s.count(), 3U);
  EXPECT_EQ(summary.object_load_s.maximum(), 5);
  EXPECT_EQ(summary.rank_load_s.count(), 2U);
  EXPECT_EQ(summary.rank_load_s.average(), 4);  // mean of 1 + 2 and 5
  EXPECT_EQ(summary.rank_load_modeled_s.average(), 4)
      << "without a model, loads are predicted to stay the same";
}

TEST(PhaseReduction, SummarisesModelledLoadsSeparately) {
  PhaseReduction mine;
  mine.add_loads({1, 2});
  mine.add_modeled_loads({10, 20});
  const PhaseSummary summary = mine.summary(0, {});
  EXPECT_EQ(summary.rank_load_s.maximum(), 3);
  EXPECT_EQ(summary.object_load_modeled_s.maximum(), 20);
  EXPECT_EQ(summary.rank_load_modeled_s.maximum(), 30);
}

TEST(PhaseReduction, CountsBytesBetweenObjectsAndRanks) {
  EdgeTable::Edge unused = edge(1, 4, CommCategory::SendRecv, 64, true);
  unused.messages = 0;
  const std::vector<EdgeTable::Edge> edges{
      edge(1, 2, CommCategory::SendRecv, 1, false),   edge(1, 3, CommCategory::SendRecv, 2, true),
      edge(1, 3, CommCategory::LocalInvoke, 4, true), edge(1, 3, CommCategory::Broadcast, 8, true),
      edge(1, 1, CommCategory::SendRecv, 16, false),  unused};
  PhaseReduction mine;
  mine.add_messages(edges);
  const PhaseSummary summary = mine.summary(0, {});
  EXPECT_EQ(summary.object_comm_bytes.count(), 2U);
  EXPECT_EQ(summary.object_comm_bytes.maximum(), 2);
  EXPECT_EQ(summary.rank_comm_bytes.maximum(), 2 + 4);
}

TEST(PhaseReduction, NamesLowestRankThatFailed) {
  PhaseReduction all;
  merge_reductions(all, {.failed_rank = 5});
  merge_reductions(all, {.failed_rank = 3});
  merge_reductions(all, {.failed_rank = 4});
  EXPECT_EQ(all.failed_rank, 3);
}

TEST(PhaseReduction, KnowsWhetherAnyFilesNeedAllRanks) {
  PhaseReduction all;
  EXPECT_FALSE(all.files_need_all_ranks);
  merge_reductions(all, {.files_need_all_ranks = true});
  merge_reductions(all, {});
  EXPECT_TRUE(all.files_need_all_ranks);
}

}  // namespace

namespace {

Arrivals of(int rank, std::int64_t phase, CollectiveCall call) {
  const Arrival arrival{.phase = phase, .call = call, .rank = rank};
  return {.first = arrival, .last = arrival};
}

TEST(Arrivals, AgreeInSameCallAndPhase) {
  Arrivals all;
  for (const int rank : {2, 0, 1}) all.merge(of(rank, 4, CollectiveCall::close));
  EXPECT_TRUE(all.agree());
  EXPECT_EQ(all.first.rank, 0);
  EXPECT_EQ(all.last.rank, 2);
}

TEST(Arrivals, NameRanksInDifferentPhases) {
  Arrivals all = of(0, 9, CollectiveCall::next_phase);
  all.merge(of(1, 9, CollectiveCall::next_phase));
  all.merge(of(3, 7, CollectiveCall::close));
  EXPECT_FALSE(all.agree());
  EXPECT_STREQ(
      all.mismatch().what(),
      "rank 1 called next_phase() in phase 9 while rank 3 called close() in phase 7; make the same "
      "collective calls in the same order on all ranks; MPI_Finalize calls close() if the program does not");
}

TEST(Arrivals, NameRanksInDifferentCalls) {
  Arrivals all = of(0, 7, CollectiveCall::close);
  all.merge(of(1, 7, CollectiveCall::next_phase));
  EXPECT_FALSE(all.agree());
  EXPECT_EQ(all.last.call, CollectiveCall::close);
  EXPECT_EQ(all.first.rank, 1);
}

TEST(Arrivals, NameEachCall) {
  using enum CollectiveCall;
  std::string names;
  for (const CollectiveCall call : {next_phase, plan, moved, migrate, owner, close})
    names += std::string(name_of(call)) + " ";
  EXPECT_EQ(names, "next_phase plan moved migrate owner close ");
}

TEST(Arrivals, HaveNoNameForUnknownCall) {
  EXPECT_EQ(name_of(static_cast<CollectiveCall>(1000)), "");
  EXPECT_EQ(name_of(static_cast<CollectiveCall>(-1)), "");
}

}  // namespace
}  // namespace plimsoll::runtime
