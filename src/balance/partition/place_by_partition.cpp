#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/partition/free_objects.hpp"
#include "balance/partition/part_refiner.hpp"
#include "balance/partition/relabelling.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/strategies/refine_lb/pair_search.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Number of splits of two ranks to try if single migrations and swaps miss the tolerance. Few ranks form few
// pairs, and an unreachable tolerance should not cost more than the partitioning.
constexpr std::uint64_t splits_per_rank = 300;
constexpr std::uint64_t max_splits = 20'000;

/// Returns whether to_proc is better than the initial placement, or equally good with fewer messages.
bool improves(const LDStats& stats, const Strategy& strategy, const RankTargets& targets) {
  const auto meets_target = [&](const std::vector<std::int32_t>& placement) {
    return std::ranges::max(finish_times(stats, placement)) <= targets.latest_finish_s * (1 + rounding_error);
  };
  // Save the time for the traffic if the balance decides, as in most calls.
  const bool one_dimension = targets.shares.n_dimensions == 1;
  if (one_dimension && !meets_target(stats.from_proc) && meets_target(stats.to_proc)) return true;
  const Score before = strategy.score(stats, stats.from_proc);
  const Score after = strategy.score(stats, stats.to_proc);
  if (after != before) return after < before;
  return rank_traffic(stats, stats.to_proc).off_rank_messages() <
         rank_traffic(stats, stats.from_proc).off_rank_messages();
}

Partition present_parts(const LDStats& stats, const FreeObjects& free, const RankTargets& targets) {
  Partition part_of_rank(stats.procs.size());
  for (std::size_t rank = 0; rank < part_of_rank.size(); ++rank)
    part_of_rank[rank] = static_cast<std::int32_t>(rank) % targets.n_parts();
  for (std::int32_t part = 0; part < targets.n_parts(); ++part)
    part_of_rank[static_cast<std::size_t>(targets.ranks[static_cast<std::size_t>(part)])] = part;
  Partition parts;
  for (const std::uint32_t object : free.object)
    parts.push_back(part_of_rank[static_cast<std::size_t>(stats.from_proc[object])]);
  return parts;
}

}  // namespace

void place_by_partition(LDStats& stats, const Strategy& strategy, double tolerance, bool all_dimensions,
                        const Partitioner& partition) {
  const ProcArray procs(stats);
  procs.require_available();
  const std::size_t n_dimensions = 1 + (all_dimensions ? stats.more_loads.size() : 0);
  const RankTargets targets = rank_targets(stats, procs, tolerance, n_dimensions);
  const FreeObjects free = free_objects(stats, targets.heaviest);
  if (free.n_vertices() == 0) {
    stats.to_proc = stats.from_proc;
    return;
  }

  Partition parts = partition(free.graph, targets.shares, present_parts(stats, free, targets));
  PLIMSOLL_EXPECT(parts.size() == free.object.size());  // also of other modules' partitioners
  parts = relabel(stats, free, targets, parts);
  PartRefiner refiner(stats, free, targets, parts);
  refiner.restore_capacities();
  refiner.reduce_traffic();

  stats.to_proc = stats.from_proc;
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
    stats.to_proc[free.object[vertex]] = targets.ranks[static_cast<std::size_t>(parts[vertex])];
  if (n_dimensions == 1) {
    Placement placement(stats, procs, stats.to_proc);
    const double target_s = targets.latest_finish_s * (1 + rounding_error);
    // Try swaps and new splits of two ranks, because single migrations cannot improve further.
    if (placement.max_finish() > target_s) level_by_exchange(placement, target_s);
    if (placement.max_finish() > target_s) {
      const std::uint64_t splits =
          std::min(max_splits, splits_per_rank * static_cast<std::uint64_t>(stats.count()));
      PairSearch(placement, target_s, {.max_splits = splits}).run();
    }
    stats.to_proc = placement.assignment();
  }
  if (!procs.must_evacuate() && !improves(stats, strategy, targets)) stats.to_proc = stats.from_proc;
}

Score partition_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance,
                      bool all_dimensions) {
  Score score = communication_score(stats, placement, tolerance);
  if (!all_dimensions) return score;
  for (const LoadDimension& dimension : stats.more_loads)
    score.first = std::max(score.first, relative_max(stats, dimension, placement) - tolerance);
  return score;
}

ParameterSpec partition_tolerance() {
  return {"tolerance", 1.005, "target maximum load relative to the average (>= 1)"};
}

}  // namespace plimsoll::balance
