#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Maximum number of features that determine loads.
inline constexpr std::size_t max_features = 16;
/// Maximum value of a feature: sums of products of larger ones may overflow.
inline constexpr double max_feature = 1e100;
/// Values by feature; those after the last feature are 0.
using FeatureValues = std::array<double, max_features>;

/// Sums over the objects of a pack (a rank, a device, or the objects of one kernel), and the time of the
/// pack.
struct PackTime {
  FeatureValues features{};  ///< sums of the features of its objects
  double time_s = 0;         ///< time of all its objects together, in seconds
};

/// Sums over packs and objects, from which the costs are computed. The sums of several ranks are merged with
/// merge_sums().
struct FeatureSums {
  static constexpr std::size_t n_products = max_features * (max_features + 1) / 2;
  static constexpr double none = std::numeric_limits<double>::infinity();

  std::array<double, n_products> products{};  ///< weighted sums of products of features
  FeatureValues with_time{};                  ///< weighted sums of products of a feature and the time
  double time_squared = 0;                    ///< weighted sum of squares of times
  double weight = 0;                          ///< number of packs; those far off the fit count in part
  double phases = 0;                          ///< number of phases; those long ago count in part
  // The members below are not weighted.
  double n_packs = 0;                                ///< number of packs
  double n_outliers = 0;                             ///< number of packs far off the costs known before
  double time_s = 0;                                 ///< sum of the times
  FeatureValues features{};                          ///< sums of the features
  std::array<double, n_products> object_products{};  ///< sums over objects of products of features
  FeatureValues least;                               ///< minimum of each feature over the objects
  FeatureValues greatest;                            ///< maximum of each feature over the objects

  FeatureSums() {
    least.fill(none);
    greatest.fill(-none);
  }
  /// Adds the features of an object.
  void add_object(std::span<const double> of_object);
};

/// Merges `right` into `left`; for mpi::Communicator::all_reduce.
void merge_sums(FeatureSums& left, const FeatureSums& right);

/// Packs of this rank in one phase, with the sums over their objects.
struct PhaseFeatures {
  std::vector<PackTime> packs;  ///< packs; those without features or without a valid time are ignored
  FeatureSums objects;          ///< add_object() of all objects
};

/// Infers the costs of features of objects, such as numbers of cells and particles, from the times of packs
/// of objects, for programs that cannot time objects. The load of an object is the sum of its features times
/// their costs.
///
/// The costs are the non-negative least-squares solution over the packs of all ranks and the recent phases.
/// Placements that change are therefore experiments. Packs are weighted by the inverse of their expected
/// time, because the deviations of many objects add up like random errors. Packs far off the fit are
/// down-weighted (Huber, Annals of Mathematical Statistics 35, 1964), because something else has delayed
/// them. Earlier phases are forgotten exponentially, and at once if many of the packs contradict them.
/// As far as the packs do not determine the costs, they stay close to those of the phase before, and, in the
/// first phase, features get equal parts of the time.
class LoadInference {
 public:
  /// Throws Error (usage) for no or more than 16 features, and for empty and duplicate names.
  explicit LoadInference(std::vector<std::string> features);

  /// Function that merges the sums of all ranks, with the same result on all ranks.
  using Reduce = std::function<FeatureSums(const FeatureSums&)>;
  /// Adds a phase. Collective if `reduce` is; calls it three times. All ranks then have the same costs. Cost:
  /// O(packs * features^2 + features^4).
  void observe(const PhaseFeatures& mine, const Reduce& reduce);

  const std::vector<std::string>& features() const { return features_; }
  /// Returns whether any pack has been observed. Before, all costs are 0.
  bool has_costs() const { return mean_time_s_ > 0; }
  /// Returns the costs, in the order of features(), and what must be known about them.
  InferredCosts result() const { return {costs(), remarks()}; }
  std::vector<FeatureCost> costs() const;
  /// Returns the load of an object or a pack with these features, in seconds.
  double load_s(std::span<const double> of_object) const;
  /// Returns the standard deviation of the time of a pack with these features from its load: of what the
  /// features do not explain, and of the errors of the costs.
  double deviation_s(std::span<const double> of_pack) const;
  /// Returns sentences about features whose costs cannot be known, or not be told apart.
  std::vector<std::string> remarks() const;

 private:
  FeatureSums totals(const PhaseFeatures& mine) const;
  FeatureSums weighted_sums(const std::vector<PackTime>& packs) const;
  void forget(const FeatureSums& now);
  void set_scale(const FeatureSums& now);
  FeatureValues known_shares() const;
  void fit(const FeatureSums& now, const FeatureValues& shares_before);
  double deviations(const PackTime& pack) const;
  double variance_scale(const PackTime& pack) const;
  double least_spread() const;

  std::vector<std::string> features_;
  FeatureSums history_;        // of the phases before the last, or of all phases between calls of observe()
  FeatureSums objects_;        // of the last phase
  bool contradicted_ = false;  // whether the packs of the last phase contradicted the costs
  bool is_fitted_ = false;     // whether costs_ fit the phases in history_
  double doubt_ = 0;        // standard deviation of costs that packs do not determine, as share of the time
  double mean_time_s_ = 0;  // mean time of a pack; 0 before the first phase
  FeatureValues scale_{};   // seconds per unit of each feature that would explain all of the time
  FeatureValues costs_{};   // in seconds
  std::optional<double> spread_;  // relative standard deviation of the time of a mean pack, if known
  std::array<FeatureValues, max_features> covariance_{};  // of the costs
};

}  // namespace plimsoll::balance
