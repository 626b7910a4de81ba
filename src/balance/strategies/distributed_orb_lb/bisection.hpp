#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/rounds/rank_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migratable object with its position.
struct BisectionObject {
  std::uint64_t number = 0;  ///< different for all migratable objects of all ranks
  double load = 0;           ///< load in seconds at speed 1
  ObjectOrigin origin = {};  ///< place before balancing
  std::array<double, 3> position = {};
};

using BisectionRank = RankObjects<BisectionObject>;

/// Gives each rank a box of objects, by recursive bisection of their positions. `ranks` contains the local
/// ranks of the executor. Collective; at least one rank must be available. Memory of a rank: its objects, and
/// those on their way to other ranks.
///
/// In each step, all groups of ranks split into halves: a plane across the longest side of the box around
/// the objects of a group divides their load in proportion to what the halves can take, and the objects move
/// to their half. The place of the plane comes from histograms, which the ranks of a group add up. The half
/// whose objects had lower coordinates before gets the lower side, so that a second run moves few objects.
/// O(log^2 ranks) rounds. Sources: M. J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform
/// problems on multiprocessors" (1987); histograms for medians as in the RCB method of Zoltan.
void bisect(RankRounds& rounds, std::span<BisectionRank> ranks);

}  // namespace plimsoll::balance
