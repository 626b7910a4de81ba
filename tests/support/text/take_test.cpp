#include <gtest/gtest.h>

#include <cstdint>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(Take, RemovesPrefix) {
  std::string_view text = "rank12.txt";
  EXPECT_FALSE(take(text, "job"));
  EXPECT_EQ(text, "rank12.txt");
  EXPECT_TRUE(take(text, "rank"));
  EXPECT_EQ(text, "12.txt");
}

TEST(TakeNumber, RemovesNumberThatFits) {
  std::string_view text = "12.5:300";
  std::uint8_t number = 7;
  EXPECT_TRUE(take_number(text, number));
  EXPECT_EQ(number, 12);
  EXPECT_EQ(text, ".5:300");
  for (const std::string_view other : {"", " 1", "+1", "-1", "x", "300"}) {
    text = other;
    EXPECT_FALSE(take_number(text, number)) << other;
    EXPECT_EQ(text, other);
    EXPECT_EQ(number, 12);
  }
}

}  // namespace
}  // namespace plimsoll::support
