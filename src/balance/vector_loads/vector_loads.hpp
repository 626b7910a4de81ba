#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/search/fair_share.hpp"

namespace plimsoll::inline v0_1::balance {

/// Loads in several dimensions, each in units of its average over the available ranks, so that 1 everywhere
/// is perfect. Dimension 0 is walltime, with speeds and background; k is LDStats::more_loads[k - 1].
class VectorLoads {
 public:
  /// `procs` are those of the stats; neither is needed afterwards. O(objects + ranks log ranks) for each
  /// dimension. Throws Error (bad_input) for a dimension of another length than the objects, or a load of it
  /// that is negative or not finite.
  VectorLoads(const LDStats& stats, const ProcArray& procs);

  std::size_t n_dimensions() const { return n_dimensions_; }
  /// What an object adds to a rank of speed 1, in each dimension.
  std::span<const double> of_object(std::uint32_t object) const {
    return std::span(object_loads_).subspan(object * n_dimensions_, n_dimensions_);
  }
  /// What stays on a rank, and by what loads of objects there are divided.
  const Processor& processor(std::uint32_t rank, std::size_t dimension) const {
    return processors_[dimension * n_ranks_ + rank];
  }
  /// What the available ranks that have any objects would have if these were spread evenly.
  double level(std::size_t dimension) const { return levels_[dimension]; }
  /// What no placement's greatest load of a rank in any dimension is below.
  double bound() const { return bound_; }

 private:
  void add_dimension(const LDStats& stats, const ProcArray& procs, std::size_t dimension);
  void find_level(const LDStats& stats, const ProcArray& procs, std::size_t dimension);

  std::size_t n_dimensions_;
  std::size_t n_ranks_;
  std::vector<double> object_loads_;   ///< of each object all dimensions
  std::vector<Processor> processors_;  ///< of each dimension all ranks
  std::vector<double> levels_;
  double bound_ = 0;
};

}  // namespace plimsoll::balance
