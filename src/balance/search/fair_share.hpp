#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Processor in one load dimension. `overhead` is its fixed load, in units of load / speed.
struct Processor {
  double overhead = 0;
  double speed = 1;
  /// Returns the load with which the processor finishes at `level`, or 0 if it finishes later even without
  /// load.
  double room_below(double level) const { return std::max(0.0, level - overhead) * speed; }
};

/// Returns the common finish time of all processors that get a share of `load`. Cost: O(n log n).
double fair_level(std::span<const Processor> processors, double load);

/// Returns the share of `load` (seconds at speed 1) for each rank, such that all ranks with a share finish
/// together. Ranks whose overhead alone takes longer get 0. Cost: O(ranks log ranks).
std::vector<double> fair_shares(const ProcArray& procs, std::span<const std::int32_t> ranks, double load);

}  // namespace plimsoll::balance
