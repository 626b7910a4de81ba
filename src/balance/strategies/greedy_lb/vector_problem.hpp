#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::balance {

/// What is to be placed where if loads have several dimensions, each in units of its average over the
/// available ranks, so that 1 everywhere is perfect. Dimensions without load are left out.
///
/// `ranks` are the available ones, `items` the migratable objects, by their greatest load, heaviest first;
/// loads of an item, and times and speeds of a rank, are n_dimensions numbers side by side.
struct VectorProblem {
  /// Throws Error (bad_input) for a dimension of another length than the objects or a load that is negative
  /// or not finite. `procs` are those of the stats.
  VectorProblem(const LDStats& stats, const ProcArray& procs);

  std::size_t n_dimensions = 0;
  std::vector<std::uint32_t> objects;  ///< of each item
  std::vector<double> item_loads;
  std::vector<std::int32_t> ranks;
  std::vector<double> fixed;   ///< when each rank finishes without items
  std::vector<double> speeds;  ///< pe_speed in the first dimension, 1 in the others
  /// What no placement's greatest time is below.
  double bound = 0;
  /// Load that each rank would take if every dimension were level.
  std::vector<double> rooms;

  std::span<const double> load(std::uint32_t item) const {
    return std::span(item_loads).subspan(item * n_dimensions, n_dimensions);
  }

 private:
  void level(std::size_t dimension);
};

}  // namespace plimsoll::balance
