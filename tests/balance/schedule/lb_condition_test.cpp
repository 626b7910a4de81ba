#include <gtest/gtest.h>

#include <plimsoll/balance/lb_condition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(LbCondition, IsAWordOrAnImbalance) {
  EXPECT_EQ(LbCondition::parse("pays")->kind, LbCondition::Kind::pays);
  EXPECT_EQ(LbCondition::parse("always")->kind, LbCondition::Kind::always);
  EXPECT_EQ(LbCondition::parse("0.25")->kind, LbCondition::Kind::threshold);
  EXPECT_EQ(LbCondition::parse("0.25")->min_imbalance, 0.25);
  for (const char* text : {"", "never", "-1", "nan", "inf", "0.1x", " 1"})
    EXPECT_FALSE(LbCondition::parse(text).has_value()) << text;
}

}  // namespace
}  // namespace plimsoll::balance
