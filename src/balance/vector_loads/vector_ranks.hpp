#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/objects_by_rank.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Loads of the ranks in each dimension (VectorLoads) while objects migrate.
class VectorRanks {
 public:
  using RanksByLoad = std::set<std::pair<double, std::uint32_t>>;

  /// Requires that all arguments outlive this object.
  VectorRanks(const LDStats& stats, const ProcArray& procs, const VectorLoads& loads,
              std::vector<std::int32_t> placement);

  const VectorLoads& loads() const { return loads_; }
  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(objects_.n_ranks()); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  std::span<const double> of_rank(std::uint32_t rank) const {
    return std::span(rank_loads_).subspan(rank * loads_.n_dimensions(), loads_.n_dimensions());
  }
  /// Returns the migratable objects on a rank, in any order.
  const std::vector<std::uint32_t>& objects(std::uint32_t rank) const { return objects_.on(rank); }
  /// Returns the maximum load of a rank over all dimensions.
  double height(std::uint32_t rank) const;
  /// Return the available ranks sorted by height(), or by their load in a dimension.
  const RanksByLoad& by_height() const { return by_height_; }
  const RanksByLoad& by_load(std::size_t dimension) const { return by_load_[dimension]; }

  /// Migrates an object. Cost: O(log ranks) per dimension.
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

}  // namespace plimsoll::balance
