#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::balance {

/// The migratable objects, heaviest first; loads that agree to the 24 bits of a float in the order of their
/// indices. O(objects): a radix sort, four times as fast as std::sort on 10^6 objects.
std::vector<std::uint32_t> migratable_by_descending_load(const LDStats& stats);

}  // namespace plimsoll::balance
