#include "balance/search/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(ObjectsByRank, TracksMigratingObjects) {
  ObjectsByRank objects(3, 5);
  EXPECT_EQ(objects.n_ranks(), 3U);
  for (const std::uint32_t object : {0U, 1U, 2U, 4U}) objects.add(object, 1);
  objects.move(1, 1, 2);
  objects.move(4, 1, 2);
  EXPECT_THAT(objects.on(0), IsEmpty());
  EXPECT_THAT(objects.on(1), UnorderedElementsAre(0, 2));
  EXPECT_THAT(objects.on(2), UnorderedElementsAre(1, 4));
  objects.move(0, 1, 0);
  objects.move(2, 1, 0);
  objects.move(1, 2, 1);
  EXPECT_THAT(objects.on(0), UnorderedElementsAre(0, 2));
  EXPECT_THAT(objects.on(1), UnorderedElementsAre(1));
  EXPECT_THAT(objects.on(2), UnorderedElementsAre(4));
}

TEST(ObjectsByRank, KeepsObjectThatMovesToItsCurrentRank) {
  ObjectsByRank objects(1, 2);
  objects.add(0, 0);
  objects.add(1, 0);
  objects.move(0, 0, 0);
  objects.move(0, 0, 0);
  EXPECT_THAT(objects.on(0), UnorderedElementsAre(0, 1));
}

}  // namespace
}  // namespace plimsoll::balance
