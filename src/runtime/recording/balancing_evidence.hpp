#pragma once

#include <plimsoll/balance/rank_load_window.hpp>

namespace plimsoll::inline v0_1::runtime {

/// What the ranks share about a phase in order to decide whether to balance.
struct BalancingEvidence {
  balance::LoadEvidence loads;
  bool is_disturbed = false;   ///< whether another process shares a rank's processor
  bool must_evacuate = false;  ///< whether objects must leave a rank

  /// Adds the evidence of other ranks.
  void merge(const BalancingEvidence& other) {
    balance::merge_evidence(loads, other.loads);
    is_disturbed = is_disturbed || other.is_disturbed;
    must_evacuate = must_evacuate || other.must_evacuate;
  }
};

}  // namespace plimsoll::runtime
