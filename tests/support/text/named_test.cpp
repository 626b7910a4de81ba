#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/support/parse.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

enum class Colour { red, green, other };
constexpr Named<Colour> colours[] = {{"red", Colour::red}, {"green", Colour::green}};

TEST(Named, MapsNamesToValuesAndBack) {
  EXPECT_EQ(value_of(colours, "green", "colour"), Colour::green);
  EXPECT_STREQ(name_of(colours, Colour::green), "green");
  EXPECT_STREQ(name_of(colours, Colour::other), "");
  EXPECT_THAT(names_of(colours), ::testing::ElementsAre("red", "green"));
}

TEST(Named, SuggestsNearestName) {
  EXPECT_ERROR(value_of(colours, "gren", "colour"), usage,
               "unknown colour \"gren\"; did you mean \"green\"? Available: red, green");
}

}  // namespace
}  // namespace plimsoll::support
