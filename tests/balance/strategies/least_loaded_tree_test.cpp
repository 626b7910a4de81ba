#include "balance/strategies/greedy_lb/least_loaded_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(LeastLoadedTree, MatchesLinearSearch) {
  for (std::size_t n = 1; n <= 20; ++n) {
    Random random(n);
    std::vector<LeastLoadedTree::Entry> ranks;
    for (std::uint32_t i = 0; i < n; ++i) ranks.push_back({static_cast<double>(random.next() % 4), 100 - i});
    LeastLoadedTree tree(ranks);
    for (int step = 0; step < 200; ++step) {
      const auto earliest = std::ranges::min_element(ranks, {}, &LeastLoadedTree::Entry::time_s);
      ASSERT_EQ(tree.earliest().rank, earliest->rank);
      ASSERT_EQ(tree.earliest().time_s, earliest->time_s);
      earliest->time_s += static_cast<double>(random.next() % 4);
      tree.set_earliest(earliest->time_s);
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance
