#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/score.hpp>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// How long to anneal, and the temperatures. A temperature is given as a work w: an increase of the sum of
/// squares by w^2 is accepted with probability 1/e.
struct AnnealingSchedule {
  std::int64_t effort = 0;  ///< number of steps; a step that moves many objects counts as several
  double first_work = 0;    ///< initial temperature
  double last_work = 0;     ///< final temperature
};

struct Annealed {
  std::vector<std::int32_t> placement;
  Score score;  ///< memory above the limits, and maximum work
};

/// Searches for a placement within the limits by simulated annealing. Steps migrate or swap single objects,
/// or all objects of one rank that use the same shared block. Returns the best placement found, maybe
/// `start`.
///
/// `start` has no migratable object on an unavailable rank. `level` is the target work of all ranks; the
/// search ends when no rank has more. Source: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by
/// simulated annealing", Science 220 (1983).
Annealed anneal(const LDStats& stats, const WorkGoal& goal, double level, std::span<const std::int32_t> start,
                std::uint64_t seed, const AnnealingSchedule& schedule);

}  // namespace plimsoll::balance
