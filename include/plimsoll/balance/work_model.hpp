#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::balance {

/// Coefficients of the affine work model. Work is in seconds if beta and delta are in seconds a byte.
struct WorkCoefficients {
  double alpha = 1;  ///< times the rank's own `rank_alpha`, of seconds of load
  double beta = 0;   ///< of bytes sent or received, whichever is more
  double gamma = 0;  ///< of every rank, idle ones too
  double delta = 0;  ///< of bytes of shared blocks used away from home
};

/// Work of each rank, and of all.
struct WorkSummary {
  std::vector<double> work;
  double sum = 0;
  double max = 0;
  double imbalance = 0;  ///< max / mean - 1; not a number unless the mean is above 0
};

/// Work of each rank for any placement of the objects:
/// work(r) = alpha rank_alpha(r) load(r) + beta max(sent(r), received(r)) + gamma + delta homing(r).
///
/// sent and received are the bytes of SendRecv edges between objects, of which one is on r and the other is
/// not. homing(r) is the size of the distinct shared blocks that objects on r use and that are at home
/// elsewhere. Source: AffineCombination of LBAF 1.6; different from it, repeated edges between two objects
/// add up.
class WorkModel {
 public:
  /// The stats must outlive the model; blocks count if they have LDStats::memory.
  WorkModel(const LDStats& stats, const WorkCoefficients& coefficients)
      : stats_(stats), coefficients_(coefficients) {}

  /// `placement` is the rank of each object, such as stats.from_proc.
  /// O(objects + edges). Throws as finish_times().
  WorkSummary evaluate(std::span<const std::int32_t> placement) const;

 private:
  void add_homing(std::span<const std::int32_t> placement, std::vector<double>& work) const;

  const LDStats& stats_;
  WorkCoefficients coefficients_;
};

}  // namespace plimsoll::balance
