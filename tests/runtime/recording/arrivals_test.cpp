#include "runtime/recording/arrivals.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::PLIMSOLL_ABI::runtime {
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

}  // namespace
}  // namespace plimsoll::runtime
