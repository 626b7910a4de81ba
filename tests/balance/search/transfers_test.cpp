#include "balance/search/transfers.hpp"

#include <gtest/gtest.h>

#include "balance/mesh_factory.hpp"
#include "balance/search/border_shift.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

/// A strip of length x width objects of load 1 in which neighbours communicate, cut into ranks after the
/// given columns.
LDStats strip(std::uint32_t length, std::uint32_t width, const std::vector<std::uint32_t>& cuts) {
  LDStats stats;
  stats.procs.resize(cuts.size() + 1);
  const auto join = [&](std::uint32_t one, std::uint32_t other) {
    stats.comm_data.push_back({CommEnd::object(one), CommEnd::object(other), 10, 1});
  };
  for (std::uint32_t object = 0; object < length * width; ++object) {
    const std::uint32_t column = object / width;
    stats.obj_data.push_back({1, true});
    stats.from_proc.push_back(
        static_cast<std::int32_t>(std::ranges::upper_bound(cuts, column) - cuts.begin()));
    if (column + 1 < length) join(object, object + width);
    if (object % width + 1 < width) join(object, object + 1);
  }
  return stats;
}

class Transfers : public ::testing::Test {
 protected:
  CommPlacement& place(double limit_s) {
    procs_ = std::make_unique<ProcArray>(stats);
    affinity_ = std::make_unique<Affinity>(stats, 0);
    placement_ =
        std::make_unique<CommPlacement>(stats, *procs_, *affinity_, CommGoal{limit_s, 0}, stats.from_proc);
    return *placement_;
  }

  LDStats stats;

 private:
  std::unique_ptr<ProcArray> procs_;
  std::unique_ptr<Affinity> affinity_;
  std::unique_ptr<CommPlacement> placement_;
};

TEST_F(Transfers, PassLoadThroughRanksWithoutRoom) {
  stats = strip(12, 2, {6, 10});  // 12, 8 and 4 objects
  const std::vector<Transfer> transfers = plan_transfers(place(8), 2);
  ASSERT_EQ(transfers.size(), 2U);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(transfers[rank].from, rank);
    EXPECT_EQ(transfers[rank].to, rank + 1);
    EXPECT_DOUBLE_EQ(transfers[rank].load, 4);
  }
}

TEST_F(Transfers, EndWithinMaximumDistance) {
  stats = strip(12, 2, {6, 10});
  EXPECT_TRUE(plan_transfers(place(8), 1).empty());
}

TEST_F(Transfers, CancelInOppositeDirections) {
  stats = strip(16, 1, {6, 8, 10});  // 6, 2, 2 and 6 objects
  stats.procs[1].bg_walltime = 2;
  stats.procs[2].bg_walltime = 2;
  EXPECT_TRUE(plan_transfers(place(4), 3).empty());
}

TEST_F(Transfers, NeverOverloadReceivers) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    stats = testing::anything_with_edges(60, 2 + seed % 9, seed);
    const CommPlacement& placement = place(1.1 * ProcArray(stats).average_load());
    std::vector<double> room;
    for (std::uint32_t rank = 0; rank < placement.n_ranks(); ++rank) room.push_back(placement.room(rank));
    const std::vector<double> before = room;
    for (const Transfer& transfer : plan_transfers(placement, 8)) {
      ASSERT_GT(transfer.load, 0);
      ASSERT_TRUE(placement.available(transfer.to));
      room[transfer.from] += transfer.load;
      room[transfer.to] -= transfer.load;
    }
    for (std::size_t rank = 0; rank < room.size(); ++rank)
      ASSERT_GE(room[rank], std::min(0.0, before[rank]) - 1e-9) << "seed " << seed;
  }
}

TEST_F(Transfers, ShiftBordersLayerByLayer) {
  stats = strip(12, 4, {8});
  CommPlacement& placement = place(24);
  shift_borders(placement, plan_transfers(placement, 1));
  EXPECT_EQ(placement.placement(), strip(12, 4, {6}).from_proc);
}

TEST_F(Transfers, ShiftBordersOfRanksThatPassLoadOn) {
  stats = strip(12, 4, {8, 10});  // 32, 8 and 8 objects
  CommPlacement& placement = place(16);
  shift_borders(placement, plan_transfers(placement, 2));
  EXPECT_EQ(placement.placement(), strip(12, 4, {4, 8}).from_proc);
}

}  // namespace
}  // namespace plimsoll::balance
