#include "runtime/manager/balancing_account.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

void BalancingAccount::add(const PhaseSummary& phase) {
  ++n_phases_;
  const BalancingSummary& balancing = phase.balancing;
  has_strategy_ = has_strategy_ || !balancing.strategy.empty() || balancing.not_balanced;
  decision_s_ += balancing.decision_s;
  migration_s_ += balancing.migration_s;
  n_migrations_ += balancing.migrations;
  const double max_s = phase.rank_load_s.maximum();
  const double bound_s = std::max(phase.rank_load_s.average(), phase.object_load_s.maximum());
  missed_s_ += std::max(0.0, max_s - bound_s);
  saved_s_ += std::max(0.0, saved_.of_phase(max_s, bound_s));
  if (balancing.migrations == 0) return;
  ++n_balanced_phases_;
  saved_.migrated(max_s, bound_s);
}

std::string BalancingAccount::line() const {
  if (!has_strategy_) return "";
  const auto count = [](std::int64_t of) { return support::format_count(static_cast<std::uint64_t>(of)); };
  std::string text = fmt::format(
      "load balancing: {} migration{} after {} of {} phase{} took {}, and decisions {}", count(n_migrations_),
      n_migrations_ == 1 ? "" : "s", count(n_balanced_phases_), count(n_phases_), n_phases_ == 1 ? "" : "s",
      support::format_seconds(migration_s_), support::format_seconds(decision_s_));
  if (n_migrations_ > 0)
    text += fmt::format("; they saved about {} if the imbalance had stayed as before",
                        support::format_seconds(saved_s_));
  return text +
         fmt::format("; the measured loads of the slowest ranks were {} above the lower bound in total",
                     support::format_seconds(missed_s_));
}

}  // namespace plimsoll::runtime
