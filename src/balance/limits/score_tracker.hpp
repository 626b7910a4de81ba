#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/search/affinity.hpp"
#include "balance/search/maximum_tree.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Score of a placement while objects migrate. Computes the terms of ScoreTerms from what a migration
/// changes. Results differ from score_of() by rounding errors only.
class ScoreTracker {
 public:
  /// Starts with objects at `placement`. Scores without terms count as the maximum load of all dimensions and
  /// subphases. The stats must outlive this object. Cost: O(objects + edges).
  ScoreTracker(const LDStats& stats, const ScoreTerms& terms, std::vector<std::int32_t> placement);

  const std::vector<std::int32_t>& placement() const { return placement_; }
  Score score() const;
  /// Migrates an object. Cost: O((dimensions + subphases) log ranks + edges of the object).
  void move(std::uint32_t object, std::int32_t to);

  /// Returns the maximum load, relative to the average, if the object is on `to`, and all other ranks finish
  /// by `floor` or earlier (see maxima()). Cost: O(dimensions + subphases).
  double load_with(std::uint32_t object, std::int32_t to, std::span<const double> floor) const;
  /// Returns the load of an object on a rank, relative to the average: the maximum over the dimensions.
  double relative_load(std::uint32_t object, std::int32_t rank) const;
  /// Returns the current maximum of each dimension and subphase.
  std::vector<double> maxima() const;

  /// Returns the additional off-rank bytes if the object migrates to `to`, with those that messages and
  /// migrations count for; 0 if the score does not weigh traffic. Cost: O(edges of the object).
  double added_traffic(std::uint32_t object, std::int32_t to) const;
  bool weighs_traffic() const { return terms_.kind == ScoreTerms::Kind::communication; }
  /// Returns the other ends of an object's edges; empty if the score does not weigh traffic.
  std::span<const Affinity::Partner> partners(std::uint32_t object) const {
    return affinity_ ? affinity_->partners(object) : std::span<const Affinity::Partner>();
  }

 private:
  double load(std::uint32_t object, std::size_t column, std::int32_t rank) const;
  void add_columns();
  void add_traffic();
  void add_load(std::size_t column, std::int32_t rank, double change);
  std::int32_t rank_of(CommEnd end) const {
    return end.is_object() ? placement_[end.index()] : static_cast<std::int32_t>(end.index());
  }
  template <typename Value>
  double relative_max(const Value& value_of_column) const;

  const LDStats& stats_;
  ScoreTerms terms_;
  std::vector<std::int32_t> placement_;
  std::size_t n_phase_columns_ = 1;   ///< columns whose maxima add up to the time of the phase
  std::vector<MaximumTree> columns_;  ///< finish times per subphase, then loads per further dimension
  std::vector<double> average_;       ///< average of each column's dimension; 0: ignored
  double balanced_load_ = 0;          ///< relative load up to which ranks count as balanced (communication)
  double migration_cost_ = 0;         ///< bytes that each migration counts for (communication)
  double off_rank_bytes_ = 0;         ///< with those that messages and migrations count for
  std::optional<Affinity> affinity_;  ///< empty if the score does not weigh traffic
};

}  // namespace plimsoll::balance
