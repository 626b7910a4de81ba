#include "balance/strategies/orb_lb/orb_lb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/strategies/delegate.hpp"
#include "balance/strategies/orb_lb/bisection.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

void check_positions(const LDStats& stats) {
  if (stats.positions.empty() || stats.n_axes == 0)
    throw support::usage_error("missing object positions: OrbLB requires them",
                               "use data whose entities have an \"index\", specify a user_defined field that "
                               "contains coordinates, or use GraphPartLB, which needs only communication "
                               "data; in a running program, call set_position(), or pass positions with the "
                               "objects to plan");
  if (stats.positions.size() != stats.obj_data.size() * stats.n_axes)
    throw support::bad_input(fmt::format("LDStats has {} objects but {} coordinates: expected {} per object",
                                         stats.obj_data.size(), stats.positions.size(), stats.n_axes));
  for (const double coordinate : stats.positions)
    if (!std::isfinite(coordinate))
      throw support::bad_input(fmt::format("invalid object coordinate {}: must be finite", coordinate));
}

}  // namespace

StrategyInfo OrbLB::info() {
  return {"OrbLB",
          "gives each rank a compact box of objects by recursive bisection of their positions",
          {{"tolerance", 1.05, "maximum load that counts as balanced, relative to the average"}},
          make_strategy<OrbLB>,
          {.positions = true, .numbers = false}};
}

OrbLB::OrbLB(const Parameters& parameters)
    : Strategy("OrbLB", parameters), tolerance_(tolerance_of("OrbLB", parameters)) {}

void OrbLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  if (stats.n_migrateobjs() == 0) {
    stats.to_proc = stats.from_proc;
    return;
  }
  check_positions(stats);
  stats.to_proc = Bisection(stats, procs).place();
  keep_start_unless_better(*this, procs, stats);
}

}  // namespace plimsoll::balance
