#include <gtest/gtest.h>

#include <cstdint>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(ParseNumber, ReadsIntegersAndDoubles) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<std::int64_t>("-7"), -7);
  EXPECT_EQ(parse_number<double>("2.5e-1"), 0.25);
}

TEST(ParseNumber, RejectsTextsThatAreNotNumbers) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "1.5", "0x1", "ten"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  EXPECT_EQ(parse_number<double>("1,5"), std::nullopt);
}

TEST(ParseNumber, RejectsNumbersOutOfRange) {
  EXPECT_EQ(parse_number<std::int8_t>("127"), 127);
  EXPECT_EQ(parse_number<std::int8_t>("128"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::support
