#include <fmt/format.h>

#include <cmath>

#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

RankGrid RankGrid::for_ranks(std::size_t n_ranks) {
  auto x =
      static_cast<std::int32_t>(std::ceil(std::sqrt(static_cast<double>(std::max<std::size_t>(n_ranks, 1)))));
  return {.x = x, .y = static_cast<std::int32_t>((n_ranks + x - 1) / x)};
}

void check_grid(const RankGrid& grid, std::size_t n_ranks) {
  const bool has_axes = grid.x >= 1 && grid.y >= 1 && grid.z >= 1;
  if (has_axes && static_cast<double>(grid.x) * grid.y * grid.z >= static_cast<double>(n_ranks)) return;
  throw support::usage_error(
      fmt::format("invalid grid {},{},{}: expected room for {} ranks", grid.x, grid.y, grid.z, n_ranks),
      "use three numbers >= 1 whose product is at least the number of ranks");
}

}  // namespace plimsoll::report
