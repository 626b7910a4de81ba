#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

/// A processor in one dimension of load. `overhead` is what stays on it, in units of load / speed.
struct Processor {
  double overhead = 0;
  double speed = 1;
  /// Load that it takes until it finishes at `level`.
  double room_below(double level) const { return std::max(0.0, level - overhead) * speed; }
};

/// When all processors that take any of `load` finish, if these finish together. O(n log n).
double fair_level(std::span<const Processor> processors, double load);

/// How much of `load` (seconds at speed 1) each of some ranks takes if all that take any finish together, 0
/// for a rank whose overhead alone takes longer. O(ranks log ranks).
std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load);

}  // namespace plimsoll::balance
