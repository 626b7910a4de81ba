#include "balance/limits/limited_strategy.hpp"

#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

void LimitedStrategy::work(LDStats& stats) {
  require_sizes(limits_, stats);
  std::vector<std::int32_t> before = stats.to_proc;
  strategy_->work(stats);
  try {
    stats.to_proc = apply_limits(limits_, stats, stats.to_proc);
    if (!ProcArray(stats).must_evacuate() && score(stats, stats.to_proc) > score(stats, stats.from_proc))
      stats.to_proc = stats.from_proc;
  } catch (...) {
    stats.to_proc = std::move(before);
    throw;
  }
}

}  // namespace plimsoll::balance
