#include "balance/search/positions.hpp"

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

void check_positions(const std::string& strategy, const LDStats& stats) {
  if (stats.positions.empty() || stats.n_axes == 0)
    throw support::usage_error(fmt::format("missing object positions: {} requires them", strategy),
                               "use data whose entities have an \"index\", specify a user_defined field that "
                               "contains coordinates, or use GraphPartLB, which needs only communication "
                               "data; in a running program, call set_position(), or pass positions with the "
                               "objects to plan");
  for (const double coordinate : stats.positions)
    if (!std::isfinite(coordinate))
      throw support::bad_input(fmt::format("invalid object coordinate {}: must be finite", coordinate));
}

}  // namespace plimsoll::balance
