#pragma once

#include <plimsoll/balance/benefit_rule.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// What the ranks share about a phase in order to decide whether to balance.
struct BalancingEvidence {
  balance::LoadEvidence loads;
  bool is_disturbed = false;       ///< whether another process shares a rank's processor
  bool any_loads_changed = false;  ///< many_loads_changed() of any rank
  bool all_loads_changed = true;   ///< many_loads_changed() of all ranks that know
  bool must_evacuate = false;      ///< whether objects must leave a rank
  bool has_requests = false;       ///< whether the program has requested migrations

  /// Adds the evidence of other ranks.
  void merge(const BalancingEvidence& other) {
    balance::merge_evidence(loads, other.loads);
    is_disturbed = is_disturbed || other.is_disturbed;
    any_loads_changed = any_loads_changed || other.any_loads_changed;
    all_loads_changed = all_loads_changed && other.all_loads_changed;
    must_evacuate = must_evacuate || other.must_evacuate;
    has_requests = has_requests || other.has_requests;
  }
};

}  // namespace plimsoll::runtime
