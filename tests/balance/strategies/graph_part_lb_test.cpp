#include <gtest/gtest.h>

#include <plimsoll/balance/rank_traffic.hpp>

#include "balance/stats_factory.hpp"

namespace plimsoll::balance {
namespace {

using testing::balance_with;

double relative_messages(const LDStats& stats) {
  return static_cast<double>(rank_traffic(stats, stats.to_proc).off_rank_messages()) /
         static_cast<double>(rank_traffic(stats, stats.from_proc).off_rank_messages());
}

TEST(GraphPartLB, CutsAMeshWell) {
  for (const std::string seed : {"1", "2", "3"})
  for (const std::string partitioner : {"metis", "scotch"})
    for (const std::string method : {"recursive", "kway"}) {
      LDStats stats = testing::mesh_start(40, 64, 12345);
      const clock_t start = clock();
      balance_with("GraphPartLB", stats, {{"partitioner", partitioner}, {"method", method}, {"seed", seed}});
      const PlacementSummary summary = summarise(stats, stats.to_proc);
      printf("%s %s: %.4f msgs %.4f moved %.4f  %.3f s\n", partitioner.c_str(), method.c_str(), summary.imbalance + 1, relative_messages(stats),
             static_cast<double>(summary.n_moved) / 64000, double(clock() - start) / CLOCKS_PER_SEC);
    }
}

TEST(RecBipartLB, CutsAMeshWell) {
      LDStats stats = testing::mesh_start(40, 64, 12345);
      const clock_t start = clock();
      balance_with("RecBipartLB", stats);
      const PlacementSummary summary = summarise(stats, stats.to_proc);
      printf("recbipart %.4f msgs %.4f moved %.4f  %.3f s\n", summary.imbalance + 1, relative_messages(stats),
             static_cast<double>(summary.n_moved) / 64000, double(clock() - start) / CLOCKS_PER_SEC);
}
}  // namespace
}  // namespace plimsoll::balance
