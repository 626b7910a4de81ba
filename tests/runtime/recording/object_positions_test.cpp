#include "runtime/recording/object_positions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Coordinates = std::vector<double>;

TEST(ObjectPositions, AreKeptBySlot) {
  ObjectPositions positions;
  EXPECT_EQ(positions.axes(), 0U);
  positions.set(7, Coordinates{1, 2});
  positions.set(3, Coordinates{3, 4});
  positions.set(7, Coordinates{5, 6});
  EXPECT_THAT(positions[7], ElementsAre(5, 6));
  EXPECT_THAT(positions[3], ElementsAre(3, 4));
  EXPECT_THAT(positions[4], IsEmpty());
  EXPECT_THAT(positions[100], IsEmpty());
  EXPECT_EQ(positions.axes(), 2U);
}

TEST(ObjectPositions, CanHaveOtherDimensionsOnceAllAreRemoved) {
  ObjectPositions positions;
  positions.set(2, Coordinates{1, 2, 3});
  positions.set(9, Coordinates{4, 5, 6});
  positions.remove(2);
  positions.remove(2);
  EXPECT_THAT(positions[2], IsEmpty());
  EXPECT_THAT(positions[9], ElementsAre(4, 5, 6));
  EXPECT_EQ(positions.axes(), 3U);
  positions.remove(9);
  EXPECT_EQ(positions.axes(), 0U);
  positions.set(5, Coordinates{8});
  EXPECT_THAT(positions[5], ElementsAre(8));
  EXPECT_THAT(positions[9], IsEmpty());
}

TEST(ObjectPositions, RejectInvalidCoordinates) {
  ObjectPositions positions;
  EXPECT_ERROR(positions.set(2, Coordinates{}), usage, "0 coordinates; specify 1, 2 or 3 coordinates");
  EXPECT_ERROR(positions.set(2, Coordinates{1, 2, 3, 4}), usage, "4 coordinates");
  EXPECT_ERROR(positions.set(2, Coordinates{1, std::numeric_limits<double>::infinity()}), usage,
               "coordinate inf of a position: must be finite");
  EXPECT_EQ(positions.axes(), 0U);
  positions.set(2, Coordinates{1, 2});
  EXPECT_ERROR(positions.set(3, Coordinates{1}), usage, "with 1 coordinates: other positions have 2");
  EXPECT_THAT(positions[2], ElementsAre(1, 2));
}

}  // namespace
}  // namespace plimsoll::runtime
