#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/balance/saved_time.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// What balancing has cost, saved and missed in a run, from the summaries of its phases.
class BalancingAccount {
 public:
  void add(const PhaseSummary& phase);
  /// Returns one line; "" if the run has had no phase in which a strategy ran or was refused.
  std::string line() const;

 private:
  std::int64_t n_phases_ = 0;
  std::int64_t n_migrations_ = 0;
  std::int64_t n_balanced_phases_ = 0;
  double decision_s_ = 0;
  double migration_s_ = 0;
  double saved_s_ = 0;
  double missed_s_ = 0;
  bool has_strategy_ = false;
  balance::SavedTime saved_;
};

}  // namespace plimsoll::runtime
