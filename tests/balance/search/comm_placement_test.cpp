#include "balance/search/comm_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <plimsoll/balance/quality.hpp>

#include "balance/mesh_factory.hpp"
#include "balance/search/maximum_tree.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(MaximumTree, KnowsMaximumAfterEachChange) {
  for (const std::size_t size : {1U, 2U, 3U, 7U, 8U, 33U}) {
    Random random(size);
    MaximumTree tree(size);
    std::vector<double> values(size, -std::numeric_limits<double>::infinity());
    for (int change = 0; change < 500; ++change) {
      const std::size_t position = random.next() % size;
      values[position] = random.uniform();
      tree.set(position, values[position]);
      ASSERT_EQ(tree.value(tree.maximum()), std::ranges::max(values)) << "size " << size;
    }
  }
}

TEST(Affinity, AddsEdgesOfBothDirectionsAndOfOneObject) {
  LDStats stats = testing::stats_of(2, {1, 1, 1}, {0, 1, 1});
  const auto join = [&](CommEnd one, CommEnd other, double bytes) {
    stats.comm_data.push_back({one, other, bytes, 2});
  };
  join(CommEnd::object(0), CommEnd::object(1), 5);
  join(CommEnd::object(0), CommEnd::processor(1), 3);
  join(CommEnd::object(1), CommEnd::object(0), 7);
  join(CommEnd::object(2), CommEnd::object(2), 9);
  const Affinity affinity(stats, 100);
  ASSERT_EQ(affinity.partners(0).size(), 2U);
  EXPECT_EQ(affinity.partners(0)[0].end, CommEnd::object(1));
  EXPECT_EQ(affinity.partners(0)[0].cost, 5 + 7 + 400);
  EXPECT_EQ(affinity.partners(0)[1].cost, 3 + 200);
  EXPECT_EQ(affinity.partners(1).size(), 1U);
  EXPECT_TRUE(affinity.partners(2).empty());
  EXPECT_EQ(affinity.total_cost(), 15 + 600);
}

/// Computes the costs from the edges, independently of CommPlacement.
double costs_of(const LDStats& stats, const std::vector<std::int32_t>& placement, double migration_cost) {
  return rank_traffic(stats, placement).off_rank_bytes() +
         migration_cost * static_cast<double>(assess(stats, placement).n_moved);
}

TEST(CommPlacement, PredictsGainOfBestMove) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LDStats stats = testing::anything_with_edges(2 + seed % 20, 2 + seed % 5, seed);
    const ProcArray procs(stats);
    const Affinity affinity(stats, 0);
    constexpr double migration_cost = 17;
    const double limit_s = 2 * procs.max_load();
    CommPlacement placement(stats, procs, affinity, {limit_s, migration_cost}, stats.from_proc);
    Random random(seed);
    for (int step = 0; step < 20; ++step) {
      const auto object = static_cast<std::uint32_t>(random.next() % stats.obj_data.size());
      const CommPlacement::Move best = placement.to_partners(object);
      if (best.to == CommPlacement::nowhere) continue;
      const double before = costs_of(stats, placement.placement(), migration_cost);
      double best_gain = -std::numeric_limits<double>::infinity();
      for (std::uint32_t to = 0; to < stats.procs.size(); ++to) {
        if (!placement.available(to) || to == placement.rank(object) ||
            placement.room(to) < placement.load(object))
          continue;
        std::vector<std::int32_t> after = placement.placement();
        after[object] = static_cast<std::int32_t>(to);
        best_gain = std::max(best_gain, before - costs_of(stats, after, migration_cost));
      }
      ASSERT_NEAR(best.gain, best_gain, 1e-6) << "seed " << seed;
      const double score = placement.score().second;
      placement.apply(object, best.to);
      ASSERT_NEAR(placement.score().second, score - best.gain, 1e-6) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance
