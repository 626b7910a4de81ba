#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Settles ties: components that cost the same on several numbers of processors get, if free, as many as were
/// measured. First, all components get processors up to the minimum of their measured ranges, then up to the
/// maximum. `choice` contains an entry per table and fits on `total` processors; the times of its components
/// do not change. With exact_sum, which leaves no processors free, returns it unchanged. O(components +
/// entries with ties).
std::vector<std::size_t> settle_ties(const LayoutProblem& problem, std::vector<std::size_t> choice,
                                     std::int64_t total);

}  // namespace plimsoll::pelayout
