#include "runtime/output/summary_line.hpp"

#include <fmt/format.h>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::string text_of(const BalancingSummary& balancing) {
  const std::string decision = support::format_seconds(balancing.decision_s);
  std::string text;
  if (balancing.migrations == 0)
    text = fmt::format("{}: no migrations, decision {}", balancing.strategy, decision);
  else
    text =
        fmt::format("{}: {} migration{}, new imbalance {:.4f}, decision {}, migration {}", balancing.strategy,
                    support::format_count(static_cast<std::uint64_t>(balancing.migrations)),
                    balancing.migrations == 1 ? "" : "s", balancing.rank_load_modeled_s.imbalance(), decision,
                    support::format_seconds(balancing.migration_s));
  if (!balancing.remark.empty()) text += ". " + balancing.remark;
  return text;
}

}  // namespace

void SummaryLine::phase_ended(const EndedPhase& phase) {
  if (session_.settings().lb_quiet) return;
  const PhaseSummary& summary = phase.summary;
  std::string line = fmt::format(
      "phase {}: {}, rank load max {}, mean {}, imbalance {:.4f}, {} objects", summary.phase,
      support::format_seconds(summary.duration_s), support::format_seconds(summary.rank_load_s.maximum()),
      support::format_seconds(summary.rank_load_s.average()), summary.rank_load_s.imbalance(),
      support::format_count(summary.object_load_s.count()));
  if (!summary.balancing.strategy.empty()) line += "; " + text_of(summary.balancing);
  session_.tell(line);
}

}  // namespace plimsoll::runtime
