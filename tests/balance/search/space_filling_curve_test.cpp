#include "balance/search/space_filling_curve.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

/// Returns the cells of a cube in the order of a curve; fails if two have the same position.
std::vector<std::vector<std::uint32_t>> cells_along(SpaceFillingCurve curve, unsigned n_axes, unsigned bits) {
  std::vector<std::vector<std::uint32_t>> cells(std::size_t{1} << (n_axes * bits));
  for (std::size_t number = 0; number < cells.size(); ++number) {
    std::vector<std::uint32_t> cell;
    for (unsigned axis = 0; axis < n_axes; ++axis)
      cell.push_back(static_cast<std::uint32_t>(number >> (axis * bits) & ((1U << bits) - 1)));
    std::vector<std::uint32_t> changed = cell;
    const std::uint64_t position = curve_position(curve, changed, bits);
    EXPECT_LT(position, cells.size());
    EXPECT_TRUE(cells.at(position).empty()) << position;
    cells.at(position) = cell;
  }
  return cells;
}

TEST(SpaceFillingCurves, HilbertVisitsEachCellAfterANeighbour) {
  for (const unsigned n_axes : {1U, 2U, 3U, 4U}) {
    const auto cells = cells_along(SpaceFillingCurve::hilbert, n_axes, 3);
    for (std::size_t place = 1; place < cells.size(); ++place) {
      int distance = 0;
      for (unsigned axis = 0; axis < n_axes; ++axis)
        distance += std::abs(static_cast<int>(cells[place][axis]) - static_cast<int>(cells[place - 1][axis]));
      ASSERT_EQ(distance, 1) << n_axes << " axes, place " << place;
    }
  }
}

TEST(SpaceFillingCurves, MortonInterleavesBits) {
  std::vector<std::uint32_t> cell = {0b101, 0b011};
  EXPECT_EQ(curve_position(SpaceFillingCurve::morton, cell, 3), 0b100111U);
  cells_along(SpaceFillingCurve::morton, 3, 3);
}

std::vector<std::uint64_t> positions_of(std::vector<double> coordinates, std::uint32_t n_axes) {
  LDStats stats;
  stats.n_axes = n_axes;
  stats.obj_data.resize(coordinates.size() / n_axes);
  stats.positions = std::move(coordinates);
  return curve_positions(SpaceFillingCurve::morton, stats);
}

TEST(SpaceFillingCurves, GiveWholeNumbersACellEach) {
  EXPECT_EQ(positions_of({5, 6, 7, 8}, 1), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(positions_of({1e15, 1e15 + 1}, 1), (std::vector<std::uint64_t>{0, 1}));
}

TEST(SpaceFillingCurves, AcceptAnyFinitePositions) {
  EXPECT_EQ(positions_of({0.5, 0.5}, 1), (std::vector<std::uint64_t>{0, 0}));
  const auto far = positions_of({-1.7e308, 1.7e308}, 1);
  EXPECT_EQ(far[0], 0U);
  EXPECT_EQ(far[1], (std::uint64_t{1} << 31) - 1);
  EXPECT_EQ(positions_of(std::vector<double>(100, 0.25), 50).size(), 2U);
}

}  // namespace
}  // namespace plimsoll::balance
