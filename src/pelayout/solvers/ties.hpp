#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Settles ties. Components above their measured range get its maximum if the layout takes no longer.
/// Components that cost the same on several numbers of processors get, if free, as many as were measured:
/// first, all of them get processors up to the minimum of their measured ranges, then up to the maximum.
/// `choice` contains an entry per table and fits on `total` processors; the time of the layout does not
/// change. With exact_sum, which leaves no processors free, returns it unchanged. O(components squared +
/// entries with ties).
std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total);

}  // namespace plimsoll::pelayout
