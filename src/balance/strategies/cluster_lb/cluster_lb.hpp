#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a good placement within the limits, never worse than from_proc. A packing (pack()) is the result
/// if its maximum work is at most `sufficient_work`, after refinement. Otherwise, annealing starts from the
/// packing and from the current placement. It takes `effort` steps in total, or fewer if it reaches
/// `minimum_work` (a lower bound on the maximum work). The result is empty if objects on unavailable ranks
/// cannot be placed. The stats must be valid, with an available rank if objects can migrate.
std::optional<std::vector<std::int32_t>> search_clusters(const LDStats& stats, const WorkGoal& goal,
                                                         double minimum_work, double sufficient_work,
                                                         std::uint64_t seed, std::int64_t effort);

/// Whether with_fewer_moves() may increase the sum of the ranks' work.
enum class TotalWork { keep, ignore };

/// Returns an equally good placement with fewer migrations. Its maximum work is at most the maximum work of
/// the given placement, or `minimum_work`. It does not exceed the memory limits by more than the given
/// placement. The function permutes equal ranks so that more objects stay, and undoes useless migrations.
std::vector<std::int32_t> with_fewer_moves(const LDStats& stats, const WorkGoal& goal, double minimum_work,
                                           std::vector<std::int32_t> placement,
                                           TotalWork total_work = TotalWork::ignore);

}  // namespace plimsoll::balance
