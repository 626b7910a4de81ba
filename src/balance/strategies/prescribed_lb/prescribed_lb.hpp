#pragma once

#include <plimsoll/balance/strategy.hpp>

#include "balance/strategies/prescribed_lb/prescription.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places every object on the rank that the user specifies, in order to test or replay an existing placement.
/// Cost: O(objects log objects). Source: PrescribedPermutation of LBAF 1.6, OfflineLB of vt 1.6.
class PrescribedLB : public Strategy {
 public:
  static StrategyInfo info();
  /// Throws Error (usage) unless exactly one of `placement`, `file` and `data` is given. Throws the same
  /// Errors as the reader of that source.
  explicit PrescribedLB(const Parameters& parameters);
  /// Also throws Error (usage) for an invalid placement. It is invalid if it lacks a migratable object,
  /// contains unknown objects, or migrates non-migratable objects. It is also invalid if it uses ranks that
  /// do not exist or are not available.
  void work(LDStats& stats) override;
  bool minimises_score() const override { return false; }

 private:
  Prescription prescription_;
};

}  // namespace plimsoll::balance
