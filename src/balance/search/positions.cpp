#include "balance/search/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

Error missing_positions(const std::string& strategy) {
  return support::usage_error(
      fmt::format("missing object positions: {} requires them", strategy),
      "use data whose entities have an \"index\", specify a user_defined field that contains coordinates, or "
      "use GraphPartLB, which needs only communication data; in a running program, call set_position(), or "
      "pass positions with the objects to plan");
}

void expect_finite(std::span<const double> positions) {
  for (const double coordinate : positions)
    if (!std::isfinite(coordinate))
      throw support::bad_input(fmt::format("invalid object coordinate {}: must be finite", coordinate));
}

}  // namespace

void check_positions(const std::string& strategy, const LDStats& stats) {
  if (stats.positions.empty() || stats.n_axes == 0) throw missing_positions(strategy);
  expect_finite(stats.positions);
}

std::uint32_t check_positions(const std::string& strategy, RankRounds& rounds,
                              std::span<const LocalRank> ranks) {
  std::vector<double> axes(ranks.size());
  std::ranges::transform(ranks, axes.begin(), &LocalRank::n_axes);
  const auto n_axes = static_cast<std::uint32_t>(rounds.maximum(axes));
  if (n_axes == 0) throw missing_positions(strategy);
  for (std::size_t local = 0; local < ranks.size(); ++local) {
    expect_finite(ranks[local].positions);
    if (ranks[local].n_axes == n_axes || ranks[local].objects.empty() || ranks[local].n_axes == 0) continue;
    throw support::usage_error(
        fmt::format("positions on rank {} have {} coordinates, those of other ranks {}",
                    rounds.first_local_rank() + static_cast<std::int32_t>(local), ranks[local].n_axes,
                    n_axes),
        "use the same number of coordinates on all ranks");
  }
  return n_axes;
}

}  // namespace plimsoll::balance
