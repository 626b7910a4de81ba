#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::balance {

/// How much of `load` (seconds at speed 1) each of some ranks takes if all that take any finish together:
/// speed * (finish - overhead), 0 for a rank whose overhead alone takes longer. O(ranks log ranks).
std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load);

}  // namespace plimsoll::balance
