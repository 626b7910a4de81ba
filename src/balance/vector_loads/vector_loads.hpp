#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Loads in several dimensions. Each is in units of its average over the available ranks, so that 1
/// everywhere is perfect. Dimension 0 is walltime, with speeds and background load; dimension k is
/// LDStats::more_loads[k - 1].
class VectorLoads {
 public:
  /// Computes the loads. `procs` belongs to the stats, whose loads it has checked; neither is needed
  /// afterwards. Cost: O(objects + ranks log ranks) per dimension.
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

/// Loads of the ranks in each dimension (VectorLoads) while objects migrate.
class VectorRanks {
 public:
  using RanksByLoad = std::set<std::pair<double, std::uint32_t>>;

  VectorRanks(const LDStats& stats, const ProcArray& procs, const VectorLoads& loads,
              std::vector<std::int32_t> placement);

  const VectorLoads& loads() const { return loads_; }
  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(objects_.n_ranks()); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  std::span<const double> of_rank(std::uint32_t rank) const {
    return std::span(rank_loads_).subspan(rank * loads_.n_dimensions(), loads_.n_dimensions());
  }
  const std::vector<std::uint32_t>& objects(std::uint32_t rank) const { return objects_.on(rank); }
  double height(std::uint32_t rank) const { return std::ranges::max(of_rank(rank)); }
  /// Return the available ranks sorted by height(), or by their load in a dimension.
  const RanksByLoad& by_height() const { return by_height_; }
  const RanksByLoad& by_load(std::size_t dimension) const { return by_load_[dimension]; }

  void move(std::uint32_t object, std::uint32_t to);
  std::vector<std::int32_t> take_placement() { return std::move(placement_); }

 private:
  void add(std::uint32_t object, std::uint32_t rank, double sign);
  void enter(std::uint32_t rank);
  void leave(std::uint32_t rank);

  const ProcArray& procs_;
  const VectorLoads& loads_;
  std::vector<double> rank_loads_;  ///< loads per rank and dimension
  std::vector<std::int32_t> placement_;
  ObjectsByRank objects_;
  RanksByLoad by_height_;
  std::vector<RanksByLoad> by_load_;
};

/// Reduces the maximum load of an available rank in any dimension to `target`, with few migrations. Ends if
/// no step helps. The maximum never increases.
///
/// The most loaded rank gives an object to one of the ranks with the lowest load in the dimension of this
/// maximum. The migration minimises the sum of squared deviations from the averages, in which load above the
/// average counts a hundredfold. If no migration lowers the maximum of the two ranks, the most loaded rank
/// swaps an object. Partners are these ranks and random ranks, and the swap minimises the maximum of the two
/// ranks. A step inspects a fixed number of objects and ranks, chosen at random if more exist; the seed is
/// fixed. The number of steps is at most 16 per object. All steps together inspect at most 2^24 swaps, plus 8
/// per object.
void level_vectors(VectorRanks& ranks, double target);

/// Migrates every object away from unavailable ranks, in descending order of the objects' maximum load in any
/// dimension. Candidates are the ranks with the lowest load in one dimension or in all. Each object goes to
/// the candidate whose maximum load is the lowest afterwards. Cost: O(log ranks) per object and dimension.
void evacuate_vectors(VectorRanks& ranks);

/// Places all migratable objects from scratch by recursive bisection of the available ranks. Each step
/// distributes the objects over both halves in proportion to their capacity, so that all dimensions are
/// balanced. Objects are processed in descending order of their maximum load in any dimension. Each goes to
/// the half that minimises the sum of squares of the halves' excess. Then the best of some random swaps
/// between the halves is applied, as long as that helps. Non-migratable objects stay at from_proc. Cost:
/// O(objects log ranks) per dimension.
std::vector<std::int32_t> split_vectors(const LDStats& stats, const VectorLoads& loads);

}  // namespace plimsoll::balance
