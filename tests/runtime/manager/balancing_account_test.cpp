#include "runtime/manager/balancing_account.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// Two ranks with these loads, in objects of 1 s.
PhaseSummary phase_of(double first_s, double second_s) {
  PhaseSummary phase;
  phase.rank_load_s.add(first_s);
  phase.rank_load_s.add(second_s);
  phase.object_load_s.add(1);
  return phase;
}

TEST(BalancingAccount, SaysNothingWithoutAStrategy) {
  BalancingAccount account;
  account.add(phase_of(3, 1));
  EXPECT_EQ(account.line(), "");
}

// The imbalance before the migration is 3 of 2 s, so the two phases after it saved 2 x (3 - 2) s.
TEST(BalancingAccount, ComparesWithTheImbalanceBeforeTheMigration) {
  BalancingAccount account;
  PhaseSummary balanced = phase_of(3, 1);
  balanced.balancing = {.strategy = "RefineLB", .migrations = 1, .decision_s = 0.25, .migration_s = 0.5};
  account.add(balanced);
  account.add(phase_of(2, 2));
  account.add(phase_of(2, 2));
  EXPECT_EQ(
      account.line(),
      "load balancing: 1 migration after 1 of 3 phases took 500 ms, and decisions 250 ms; they saved about "
      "2.00 s if the imbalance had stayed as before; the measured loads of the slowest ranks were 1.00 s "
      "above the lower bound in total");
}

TEST(BalancingAccount, StatesWhatRefusalsMissed) {
  BalancingAccount account;
  PhaseSummary refused = phase_of(3, 1);
  refused.balancing.not_balanced = lbdata::NotBalanced{.reason = "price", .text = "", .numbers = {}};
  account.add(refused);
  EXPECT_TRUE(account.line().ends_with("1.00 s above the lower bound in total")) << account.line();
}

}  // namespace
}  // namespace plimsoll::runtime
