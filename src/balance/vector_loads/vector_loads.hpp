#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/fair_share.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Loads in several dimensions. Each is in units of its average over the available ranks, so that 1
/// everywhere is perfect. Dimension 0 is walltime, with speeds and background load; dimension k is
/// LDStats::more_loads[k - 1].
class VectorLoads {
 public:
  /// Computes the loads. `procs` belongs to the stats; neither is needed afterwards. Cost: O(objects + ranks
  /// log ranks) per dimension. Throws Error (bad_input) if the length of a dimension differs from the number
  /// of objects, or if a load is negative or not finite.
  VectorLoads(const LDStats& stats, const ProcArray& procs);

  std::size_t n_dimensions() const { return n_dimensions_; }
  /// Returns the load that an object adds in each dimension, at speed 1.
  std::span<const double> of_object(std::uint32_t object) const {
    return std::span(object_loads_).subspan(object * n_dimensions_, n_dimensions_);
  }
  /// Returns the fixed load of `rank`, and the divisor for the loads of its objects.
  const Processor& processor(std::uint32_t rank, std::size_t dimension) const {
    return processors_[dimension * n_ranks_ + rank];
  }
  /// Returns the load that all available ranks with migratable objects would have if load could be divided
  /// freely.
  double level(std::size_t dimension) const { return levels_[dimension]; }
  /// Returns a lower bound on the maximum load per rank in any dimension, for all placements.
  double bound() const { return bound_; }

 private:
  void add_dimension(const LDStats& stats, const ProcArray& procs, std::size_t dimension);
  void find_level(const LDStats& stats, const ProcArray& procs, std::size_t dimension);

  std::size_t n_dimensions_;
  std::size_t n_ranks_;
  std::vector<double> object_loads_;   ///< loads per object and dimension
  std::vector<Processor> processors_;  ///< data of the processors, per dimension and rank
  std::vector<double> levels_;
  double bound_ = 0;
};

}  // namespace plimsoll::balance
