#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Minimises the maximum work per rank (WorkModel) under memory limits, and keeps objects of one shared block
/// together. It migrates and swaps whole clusters of them, and splits clusters if that improves the result.
/// One thread.
class ClusterLB : public Strategy {
 public:
  explicit ClusterLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }

 private:
  WorkGoal goal_;
  std::uint64_t seed_;
  std::int64_t effort_;
};

/// Returns a good placement within the limits, never worse than from_proc. Annealing starts from the current
/// placement and from a packing. It tries `steps` steps in total, or fewer if it reaches `minimum_work` (a
/// lower bound on the maximum work). The result is empty if objects on unavailable ranks cannot be placed.
/// The stats must be valid, with an available rank if objects can migrate.
std::optional<std::vector<std::int32_t>> search_clusters(const LDStats& stats, const WorkGoal& goal,
                                                         double minimum_work, std::uint64_t seed,
                                                         std::int64_t steps);

/// Returns an equally good placement with fewer migrations. Its maximum work is at most the maximum work of
/// the given placement, or `minimum_work`. It does not exceed the memory limits by more than the given
/// placement. The function permutes equal ranks so that more objects stay, and undoes useless migrations.
std::vector<std::int32_t> with_fewer_moves(const LDStats& stats, const WorkGoal& goal, double minimum_work,
                                           std::vector<std::int32_t> placement);

/// Places all migratable objects from scratch so that ranks have a work of about `level`. Each rank in turn
/// gets light shared blocks with all their objects, and is filled up with a part of the heaviest block.
/// Objects without a block fill the ranks with the lowest load. As a result few blocks are split, and each
/// rank has few blocks. Communication, homes of shared blocks and the current placement are ignored.
///
/// The result is empty if the objects do not fit into memory this way. Cost: O(objects (log objects + ranks
/// that are full)).
std::optional<std::vector<std::int32_t>> pack(const LDStats& stats, const WorkGoal& goal, double level);

}  // namespace plimsoll::balance
