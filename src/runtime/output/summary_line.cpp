#include "runtime/output/summary_line.hpp"

#include <fmt/format.h>

#include <plimsoll/support/format.hpp>

namespace plimsoll::inline v0_1::runtime {

void SummaryLine::phase_ended(const EndedPhase& phase) {
  if (session_.settings().lb_quiet) return;
  const PhaseSummary& summary = phase.summary;
  session_.tell(fmt::format(
      "phase {}: {}, rank load max {}, mean {}, imbalance {:.4f}, {} objects", summary.phase,
      support::format_seconds(summary.duration_s), support::format_seconds(summary.rank_load_s.maximum()),
      support::format_seconds(summary.rank_load_s.average()), summary.rank_load_s.imbalance(),
      support::format_count(summary.object_load_s.count())));
}

}  // namespace plimsoll::runtime
