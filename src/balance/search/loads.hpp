#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the position of a rank, part or vertex in an array.
template <std::same_as<std::int32_t> Index>
constexpr std::size_t at(Index index) {
  return static_cast<std::size_t>(index);
}

/// Relative difference up to which two sums of loads or bytes count as equal. Sums of the same numbers in
/// another order differ by less, and so does a rank that is filled exactly to its limit. A smaller gain is no
/// gain.
inline constexpr double rounding_error = 1e-12;

/// Object with a copy of its load, which avoids a memory access to the object.
struct LoadedObject {
  double load;
  std::uint32_t object;
  friend auto operator<=>(const LoadedObject&, const LoadedObject&) = default;
};

/// Returns the available ranks, ascending.
std::vector<std::int32_t> available_ranks(const LDStats& stats);

/// Returns the migratable objects, heaviest first. Loads that agree in the 24 bits of a float are sorted by
/// index. Cost: O(objects). The radix sort is four times as fast as std::sort for 10^6 objects.
std::vector<LoadedObject> migratable_by_descending_load(const LDStats& stats);

/// Returns the migratable objects in an order such that an object precedes all objects with less than 8/9 of
/// its load. Other objects are in the order of their indices. Takes one pass; the exact order takes three.
std::vector<LoadedObject> migratable_by_coarse_load(const LDStats& stats);

/// Sorts objects like migratable_by_descending_load; the sort is stable.
void sort_by_descending_load(std::vector<LoadedObject>& objects);

/// Returns the largest time of which all loads of migratable objects are multiples, within rounding errors;
/// 0 if it would be below `minimum`. Whole numbers have a unit of at least 1; measured times
/// usually have none.
/// Source: Euclid's algorithm on floating-point numbers. Cost: O(objects), but usually O(1), because the
/// first few loads of measured times already have no common unit.
double load_unit(const LDStats& stats, double minimum);

/// Returns the largest time of which the finish times of all available ranks are multiples for every
/// placement; 0 if it would be below 10^-6 times the mean finish time, or if the ranks have different
/// speeds.
double finish_time_unit(const LDStats& stats, const ProcArray& procs);

/// Returns whether `load` is a multiple of `unit` within rounding errors.
bool is_multiple(double load, double unit);

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
