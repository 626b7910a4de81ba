#include "balance/search/chain_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();

/// Returns the bytes of objects, with each of their blocks once.
double bytes_of_part(const ObjectChain& objects, std::size_t begin, std::size_t end) {
  double bytes = 0;
  std::set<std::uint32_t> blocks;
  for (std::size_t object = begin; object < end; ++object) {
    bytes += objects.bytes[object];
    if (!objects.blocks.empty() && objects.blocks[object] != ObjMemory::no_block &&
        blocks.insert(objects.blocks[object]).second)
      bytes += objects.block_bytes[objects.blocks[object]];
  }
  return bytes;
}

/// Returns the minimum time of all divisions of objects from `begin` among ranks from `rank`.
double best_division(const ObjectChain& objects, const ProcArray& procs, std::size_t rank,
                     std::size_t begin) {
  if (rank == procs.procs.size()) return begin == objects.loads.size() ? 0 : impossible;
  double best = impossible;
  double load = 0;
  for (std::size_t end = begin; end <= objects.loads.size(); ++end) {
    const ProcInfo& proc = procs.procs[rank];
    best = std::min(
        best, std::max(proc.overhead + load / proc.pe_speed, best_division(objects, procs, rank + 1, end)));
    if (end == objects.loads.size()) break;
    load += objects.loads[end];
    if (bytes_of_part(objects, begin, end + 1) > objects.max_bytes[rank]) break;
  }
  return best;
}

TEST(ChainPartition, IsOptimalWithinLimitsOnBytesAndSharedBlocks) {
  Random random(11);
  int infeasible = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n_ranks = 1 + random.next() % 4;
    const std::size_t n_objects = random.next() % 10;
    LDStats stats = testing::stats_of(n_ranks, {}, {});
    for (ProcStats& proc : stats.procs) {
      proc.pe_speed = 1 + static_cast<double>(random.next() % 2);
      proc.bg_walltime = static_cast<LBRealType>(random.next() % 3);
    }
    std::vector<double> loads;
    std::vector<double> bytes;
    std::vector<double> max_bytes;
    for (std::size_t object = 0; object < n_objects; ++object) {
      loads.push_back(static_cast<double>(random.next() % 5));
      bytes.push_back(static_cast<double>(random.next() % 4));
    }
    for (std::size_t rank = 0; rank < n_ranks; ++rank)
      max_bytes.push_back(static_cast<double>(2 + random.next() % 6));
    std::vector<std::uint32_t> blocks;
    for (std::size_t object = 0; trial % 2 == 0 && object < n_objects; ++object)
      blocks.push_back(random.next() % 4 == 0 ? ObjMemory::no_block
                                              : static_cast<std::uint32_t>(random.next() % 3));
    const std::vector<double> block_bytes = {1, 2, 3};
    const ObjectChain objects{loads, bytes, max_bytes, blocks, block_bytes};
    const ProcArray procs(stats);
    std::vector<std::int32_t> ranks(n_ranks);
    std::iota(ranks.begin(), ranks.end(), 0);
    const double best = best_division(objects, procs, 0, 0);
    const std::vector<std::size_t> ends = partition_chain(objects, procs, ranks);
    if (n_objects > 0 && best == impossible) {
      ++infeasible;
      EXPECT_TRUE(ends.empty());
      continue;
    }
    ASSERT_EQ(ends.size(), n_ranks);
    double time = 0;
    std::size_t begin = 0;
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      EXPECT_LE(bytes_of_part(objects, begin, ends[rank]), max_bytes[rank]);
      double load = 0;
      for (; begin < ends[rank]; ++begin) load += loads[begin];
      time = std::max(time, procs.procs[rank].overhead + load / procs.procs[rank].pe_speed);
    }
    EXPECT_EQ(begin, n_objects);
    EXPECT_NEAR(time, best, 1e-9);
  }
  EXPECT_GT(infeasible, 10);
}

}  // namespace
}  // namespace plimsoll::balance
