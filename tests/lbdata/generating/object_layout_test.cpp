#include "lbdata/generating/object_layout.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(Grid, IsAsSquareAsDivisorsAllow) {
  EXPECT_EQ(Grid(12, 1).sides(), Numbers({12}));
  EXPECT_EQ(Grid(12, 2).sides(), Numbers({4, 3}));
  EXPECT_EQ(Grid(36, 2).sides(), Numbers({6, 6}));
  EXPECT_EQ(Grid(7, 2).sides(), Numbers({7, 1}));
  EXPECT_EQ(Grid(64, 3).sides(), Numbers({4, 4, 4}));
  EXPECT_EQ(Grid(60, 3).sides(), Numbers({5, 4, 3}));
  EXPECT_EQ(Grid(1, 3).sides(), Numbers({1, 1, 1}));
}

TEST(Grid, NumbersCellsWithFirstCoordinateSlowest) {
  const Grid grid(60, 3);
  EXPECT_EQ(grid.coordinates(0), Numbers({0, 0, 0}));
  EXPECT_EQ(grid.coordinates(2), Numbers({0, 0, 2}));
  EXPECT_EQ(grid.coordinates(3), Numbers({0, 1, 0}));
  EXPECT_EQ(grid.coordinates(59), Numbers({4, 3, 2}));
}

TEST(Grid, ListsNeighbourCells) {
  const Grid grid(12, 2);  // a grid of 4 x 3
  EXPECT_EQ(grid.neighbours(0), Numbers({3, 1}));
  EXPECT_EQ(grid.neighbours(4), Numbers({1, 7, 3, 5}));
  EXPECT_EQ(grid.neighbours(11), Numbers({8, 10}));
  EXPECT_EQ(Grid(60, 3).neighbours(16), Numbers({4, 28, 13, 19, 15, 17}));
  EXPECT_EQ(Grid(1, 3).neighbours(0), Numbers());
}

}  // namespace
}  // namespace plimsoll::lbdata
