#include "balance/strategies/greedy_lb/earliest_finish_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(EarliestFinishTree, MatchesLinearSearch) {
  for (std::size_t n = 1; n <= 40; ++n) {
    Random random(n);
    std::vector<EarliestFinishTree::Entry> ranks;
    for (std::uint32_t i = 0; i < n; ++i) ranks.push_back({random.uniform(), 0.1 + 4 * random.uniform(), i});
    double load = 2;
    EarliestFinishTree tree(ranks, load);
    for (int step = 0; step < 500; ++step) {
      double best = std::numeric_limits<double>::infinity();
      for (const auto& rank : ranks) best = std::min(best, rank.time_s + load / rank.speed);
      const EarliestFinishTree::Entry found = tree.earliest(load);
      EarliestFinishTree::Entry& rank = ranks[found.rank];
      ASSERT_NEAR(rank.time_s + load / rank.speed, best, 1e-12 * best);
      rank.time_s += load / rank.speed;
      tree.set_earliest(rank.time_s, load);
      load *= random.uniform() < 0.5 ? 1 : 0.9 + 0.1 * random.uniform();
    }
  }
}

TEST(EarliestFinishTree, ChoosesSlowRankForLightObjects) {
  EarliestFinishTree tree({{2, 4, 0}, {1, 1, 1}}, 8);
  EXPECT_EQ(tree.earliest(8).rank, 0u);    // rank 0 finishes at 4, rank 1 at 9
  EXPECT_EQ(tree.earliest(1.4).rank, 0u);  // rank 0 finishes at 2.35, rank 1 at 2.4
  EXPECT_EQ(tree.earliest(1.3).rank, 1u);  // rank 1 finishes at 2.3, rank 0 at 2.325
}

}  // namespace
}  // namespace plimsoll::balance
