#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "balance/search/work_goal.hpp"

namespace plimsoll::inline v0_1::balance {

/// A good placement by annealing from where the objects are, and from a packing, within the limits; never
/// worse than from_proc. `steps` are tried in all, fewer if `least_work` (a bound on the greatest work) is
/// reached. Empty if objects have to leave ranks that aren't available and no place was found for them. The
/// stats must be good, and a rank available.
std::optional<std::vector<std::int32_t>> search_clusters(const LDStats& stats, const WorkGoal& goal,
                                                         double least_work, std::uint64_t seed,
                                                         std::int64_t steps);

/// A placement whose greatest work is that of the one given, or `least_work`, with no more memory beyond the
/// limits: equal ranks change names so that more stays, and objects go back that moved for nothing.
std::vector<std::int32_t> with_fewer_moves(const LDStats& stats, const WorkGoal& goal, double least_work,
                                           std::vector<std::int32_t> placement);

}  // namespace plimsoll::balance
