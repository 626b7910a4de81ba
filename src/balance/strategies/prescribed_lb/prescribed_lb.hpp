#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

#include "balance/strategies/prescribed_lb/prescription.hpp"

namespace plimsoll::inline v0_1::balance {

/// Puts every object where the user says: to try a placement that something else made, or to replay one.
/// O(objects log objects).
/// Source: PrescribedPermutation of LBAF 1.6, OfflineLB of vt 1.6.
class PrescribedLB : public Strategy {
 public:
  static StrategyInfo info();
  /// Throws Error (usage) unless one of `placement`, `file` and `data` is given, and as reading it does.
  explicit PrescribedLB(const Parameters& parameters);
  /// Throws Error (usage) also for a placement that does not say where each migratable object is, that names
  /// others, moves sentinels, or uses ranks that do not exist or are not available.
  void work(LDStats& stats) override;

 private:
  Prescription prescription_;
};

}  // namespace plimsoll::balance
