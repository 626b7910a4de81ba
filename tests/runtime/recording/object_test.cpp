#include <gtest/gtest.h>

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::runtime {
namespace {

TEST(ObjectNumber, IsTheNumberOfTheId) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, (std::uint64_t{1} << 46) - 2}) {
    EXPECT_EQ(object_number(object_id(0, number)), number);
    EXPECT_EQ(object_number(object_id(65535, number, false)), number);
  }
}

TEST(ObjectNumber, IsEmptyForOtherIds) {
  EXPECT_EQ(object_number(ObjectId::none), std::nullopt);
  EXPECT_EQ(object_number(rank_object_id(3)), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::runtime
