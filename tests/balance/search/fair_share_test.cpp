#include "balance/search/fair_share.hpp"

#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(FairShares, EqualiseFinishTimes) {
  LDStats stats = testing::stats_of(4, {}, {});
  stats.procs[1].pe_speed = 2;
  stats.procs[2].bg_walltime = 1;
  stats.procs[3].bg_walltime = 100;
  const ProcArray procs(stats);
  // The common finish time T is 3, because (T - 0) + 2 (T - 0) + (T - 1) = 11. Processor 3 is busy for longer
  // in any case.
  EXPECT_EQ(fair_shares(procs, std::vector<std::int32_t>{3, 2, 1, 0}, 11), (std::vector<double>{0, 2, 6, 3}));
}

}  // namespace
}  // namespace plimsoll::balance
