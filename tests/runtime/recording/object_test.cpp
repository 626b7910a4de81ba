#include <gtest/gtest.h>

#include <plimsoll/runtime/object.hpp>

#include "runtime/recording/object_name.hpp"

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

TEST(ObjectName, ContainsNumberAndHomeOfElements) {
  EXPECT_EQ(name_of(object_id(0, 5)), "object 5 of home rank 0 (ID 1572867)");  // 3 + (6 << 18)
  EXPECT_EQ(name_of(object_id(2, 0, false)), "object 0 of home rank 2 (ID 262154)");
  EXPECT_EQ(name_of(ObjectId{7}), "object 7") << "a plain number";
}

}  // namespace
}  // namespace plimsoll::runtime
