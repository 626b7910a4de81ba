#include "pelayout/solvers/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns a random surface with up to so many rows and steps per row.
Surface random_surface(std::mt19937& random, std::int64_t n_rows, std::int64_t n_steps) {
  const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  Surface surface;
  double first_time = 100'000;
  for (std::int64_t row = 0, at = below(3); row < n_rows; ++row, at += 1 + below(3)) {
    Staircase stairs;
    double time = first_time;
    for (std::int64_t step = 0, used = below(3); step < n_steps; ++step, used += 1 + below(3)) {
      stairs.add(used, time);
      time -= static_cast<double>(below(50));
    }
    surface.add(at, std::move(stairs));
    first_time -= static_cast<double>(below(60));
  }
  return surface;
}

std::optional<double> time_on(const Surface& surface, const Processors& processors) {
  const Staircase* const row = surface.row(processors[0]);
  const auto step = row == nullptr ? std::nullopt : row->step(processors[1]);
  return step ? std::optional(row->time[*step]) : std::nullopt;
}

/// Returns the minimum over all ways to share the processors.
std::optional<double> best_share(const Surface& one, const Surface& other, const Processors& processors) {
  std::optional<double> best;
  for (std::int64_t first = 0; first <= processors[0]; ++first)
    for (std::int64_t second = 0; second <= processors[1]; ++second) {
      const auto time = time_on(one, {first, second});
      const auto rest = time_on(other, {processors[0] - first, processors[1] - second});
      if (time && rest && (!best || std::max(*time, *rest) < *best)) best = std::max(*time, *rest);
    }
  return best;
}

TEST(Surface, SharesProcessorsOfBothKinds) {
  std::mt19937 random(1);
  for (int k = 0; k < 40; ++k) {
    const Surface one = random_surface(random, 1 + k % 5, 1 + k % 4);
    const Surface other = random_surface(random, 1 + k % 3, 1 + k % 6);
    const Processors total = {k % 17, k % 13};
    const Surface both = side_by_side(one, other, total);
    for (std::int64_t first = 0; first <= total[0]; ++first)
      for (std::int64_t second = 0; second <= total[1]; ++second)
        EXPECT_EQ(time_on(both, {first, second}), best_share(one, other, {first, second})) << k;
  }
}

// One part uses only the first kind of nodes, so that its surface has a single column.
TEST(Surface, SharesManyProcessorsByColumns) {
  std::mt19937 random(2);
  const Surface one = random_surface(random, 60, 20);
  const Surface other = random_surface(random, 200, 1);
  const Processors total = {150, 60};
  const Surface both = side_by_side(one, other, total);
  const Surface exchanged = side_by_side(other, one, total);
  for (std::int64_t first = 0; first <= total[0]; first += 7)
    for (std::int64_t second = 0; second <= total[1]; second += 5) {
      EXPECT_EQ(time_on(both, {first, second}), best_share(one, other, {first, second}));
      EXPECT_EQ(time_on(exchanged, {first, second}), best_share(one, other, {first, second}));
    }
}

TEST(Surface, RefusesEndlessWork) {
  std::mt19937 random(3);
  const Surface large = random_surface(random, 1000, 1000);
  EXPECT_ERROR(side_by_side(large, large, {3000, 3000}), bad_input, "at most 300 million are supported");
}

TEST(Surface, SharesOneNumberOfProcessors) {
  std::mt19937 random(4);
  for (int k = 0; k < 40; ++k) {
    const Surface one = random_surface(random, 1 + k % 5, 1 + k % 4);
    const Surface other = random_surface(random, 1 + k % 3, 1 + k % 6);
    const Processors total = {k % 17, k % 13};
    EXPECT_EQ(time_on(side_by_side_on(one, other, total), total), best_share(one, other, total)) << k;
  }
}

// Combining these surfaces everywhere is refused.
TEST(Surface, SharesOneNumberOfManyProcessors) {
  std::mt19937 random(3);
  const Surface large = random_surface(random, 1000, 1000);
  EXPECT_EQ(side_by_side_on(large, large, {3000, 3000}).steps(), 1U);
}

}  // namespace
}  // namespace plimsoll::pelayout
