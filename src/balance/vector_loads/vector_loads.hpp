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

/// Returns whether objects have several loads: more_loads, or subphases after which the ranks synchronise.
inline bool has_vector_loads(const LDStats& stats) {
  return !stats.more_loads.empty() || !stats.subphases.empty();
}

/// Loads in several dimensions. The first dimensions are times: walltime, or the subphases if the ranks
/// synchronise after each. Times have speeds and background load, and the unit is the average load of the
/// available ranks in the whole phase. The other dimensions are LDStats::more_loads, each in units of its
/// average over the available ranks.
///
/// The cost of a placement is relative_max_load(): the maximum over the sum of the times and each of the
/// other dimensions, where each dimension counts with its maximum over the ranks.
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

  /// Returns the cost of a placement with these maximum loads per dimension.
  double cost(std::span<const double> maxima) const;
  /// Returns a lower bound on the cost of all placements.
  double bound() const { return bound_; }
  /// Returns limits for the maximum loads of a placement with this cost. What the cost exceeds the bound by
  /// is spread over the times: one half evenly, the other half in proportion to their bounds.
  std::vector<double> limits(double cost) const;

 private:
  template <class LoadOf>
  void set_loads(const LDStats& stats, std::size_t dimension, LoadOf&& load_of);
  void add_times(const LDStats& stats, double average_s);
  void add_more_loads(const LDStats& stats, std::int32_t n_available);
  void find_level(const LDStats& stats, const ProcArray& procs, std::size_t dimension);

  std::size_t n_times_;
  std::size_t n_dimensions_;
  std::size_t n_ranks_;
  std::vector<double> object_loads_;   ///< loads per object and dimension
  std::vector<Processor> processors_;  ///< data of the processors, per dimension and rank
  std::vector<double> levels_;
  std::vector<double> bounds_;  ///< lower bounds on the maximum load per rank
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
  /// Returns the available ranks sorted by their load in a dimension.
  const RanksByLoad& by_load(std::size_t dimension) const { return by_load_[dimension]; }
  /// Returns the maximum load of a rank in each dimension.
  std::vector<double> maxima() const;
  /// Returns the cost of the placement.
  double cost() const { return loads_.cost(maxima()); }

  void move(std::uint32_t object, std::uint32_t to);
  const std::vector<std::int32_t>& placement() const { return placement_; }

 private:
  void add(std::uint32_t object, std::uint32_t rank, double sign);
  void enter(std::uint32_t rank);
  void leave(std::uint32_t rank);

  const ProcArray& procs_;
  const VectorLoads& loads_;
  std::vector<double> rank_loads_;  ///< loads per rank and dimension
  std::vector<std::int32_t> placement_;
  ObjectsByRank objects_;
  std::vector<RanksByLoad> by_load_;
  std::vector<double> fixed_maxima_;  ///< maximum fixed load of an unavailable rank, per dimension
};

/// Lowers the cost of the placement to `target`, or as far as the search achieves, with few migrations. The
/// cost never increases.
///
/// Each dimension has a limit (VectorLoads::limits()). The rank with the highest load above the limits,
/// summed over the dimensions, gives an object to one of the ranks with the lowest load in these dimensions,
/// or to a random rank. The migration lowers the load of both ranks above the limits as much as possible.
/// Among equal ones, it minimises the sum of squared deviations from the level. If no migration helps much,
/// the rank swaps an object, if that helps more per migration. If the target is out of reach, the search
/// repeatedly aims at limits halfway between the current cost and the bound. Finally, objects return to their
/// ranks if the cost remains within the target. A step inspects a fixed number of objects and ranks, chosen
/// at random if more exist; the seed is fixed. The number of steps is at most 16 per object. All steps
/// together inspect at most 1024 swaps per object and dimension, or 2^23, plus 8 per object.
void level_vectors(VectorRanks& ranks, double target);

/// Migrates every object away from unavailable ranks, in descending order of the objects' maximum load in any
/// dimension. Candidates are the ranks with the lowest load in one dimension. Each object goes to the
/// candidate with the smallest growth of its sum of squared loads. Cost: O(log ranks) per object and
/// dimension.
void evacuate_vectors(VectorRanks& ranks);

/// Places all migratable objects from scratch by recursive bisection of the available ranks. Each step
/// distributes the objects over both halves in proportion to their capacity, so that all dimensions are
/// balanced. Objects are processed in descending order of their maximum load in any dimension. Each goes to
/// the half that minimises the sum of squares of the halves' excess. Then the best of some random swaps
/// between the halves is applied, as long as that helps. Non-migratable objects stay at from_proc. Cost:
/// O(objects log ranks) per dimension.
std::vector<std::int32_t> split_vectors(const LDStats& stats, const VectorLoads& loads);

}  // namespace plimsoll::balance
