#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::balance {

/// The loads of ranks in several dimensions, each as a multiple of the dimension's average over available
/// ranks, while objects move about. Dimension 0 is walltime, k is LDStats::more_loads[k - 1].
class VectorRanks {
 public:
  using Loads = std::span<const double>;

  /// Objects are at from_proc. Both must outlive this. Throws as refine_vectors().
  VectorRanks(const LDStats& stats, const ProcArray& procs);

  std::size_t n_dimensions() const { return n_dimensions_; }
  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(members_.size()); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  /// What a rank has, and what an object adds to it in dimension 0 if the rank has speed 1.
  Loads rank_loads(std::uint32_t rank) const { return row(rank_loads_, rank); }
  Loads object_loads(std::uint32_t object) const { return row(object_loads_, object); }
  /// What an object's load is divided by.
  double divisor(std::uint32_t rank, std::size_t dimension) const {
    return dimension == 0 ? procs_.procs[rank].pe_speed : 1;
  }
  /// The migratable objects on a rank, in no order.
  const std::vector<std::uint32_t>& objects(std::uint32_t rank) const { return members_[rank]; }
  /// The greatest load of a rank in any dimension.
  double height(std::uint32_t rank) const;
  /// The available rank of greatest height.
  std::uint32_t highest() const { return by_height_.rbegin()->second; }
  /// Available ranks by their load in a dimension.
  const std::set<std::pair<double, std::uint32_t>>& by_load(std::size_t dimension) const {
    return by_load_[dimension];
  }
  /// No placement has a lower greatest height than this.
  double least_height() const { return least_height_; }

  void move(std::uint32_t object, std::uint32_t to);
  std::vector<std::int32_t> take_placement() { return std::move(placement_); }

 private:
  Loads row(const std::vector<double>& table, std::size_t index) const {
    return std::span(table).subspan(index * n_dimensions_, n_dimensions_);
  }
  void add_dimension(std::size_t dimension, std::span<const LBRealType> of_object);
  void add(std::uint32_t object, std::uint32_t rank, double sign);
  void enter(std::uint32_t rank);
  void leave(std::uint32_t rank);

  const ProcArray& procs_;
  std::size_t n_dimensions_;
  std::vector<double> object_loads_;  ///< of each object all dimensions
  std::vector<double> rank_loads_;
  double least_height_ = 1;
  std::vector<std::int32_t> placement_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::uint32_t> position_;  ///< of each object in its rank's members
  std::set<std::pair<double, std::uint32_t>> by_height_;
  std::vector<std::set<std::pair<double, std::uint32_t>>> by_load_;
};

}  // namespace plimsoll::balance
