#include <gtest/gtest.h>

#include <plimsoll/balance/budget.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(MoveBudget, AcceptsNumbersSharesAndAll) {
  EXPECT_EQ(MoveBudget::parse("1000").moves(10), 1000);
  EXPECT_EQ(MoveBudget::parse("0").moves(10), 0);
  EXPECT_EQ(MoveBudget::parse("0.1%").moves(64'000), 64);
  EXPECT_EQ(MoveBudget::parse(" 5 % ").moves(99), 4);
  EXPECT_EQ(MoveBudget::parse("29%").moves(100), 29);  // 0.29 * 100 < 29
  EXPECT_EQ(MoveBudget::parse("100%").moves(7), 7);
  EXPECT_TRUE(MoveBudget::parse("all").is_unlimited());
  EXPECT_FALSE(MoveBudget::parse("100%").is_unlimited());
}

TEST(MoveBudget, RejectsOtherTexts) {
  for (const char* text : {"", "-1", "1.5", "-1%", "101%", "nan%", "%", "some", "1k"})
    EXPECT_ERROR(MoveBudget::parse(text), usage, "invalid budget \"" + std::string(text) + "\"");
  EXPECT_ERROR(MoveBudget::parse_list("1,,2"), usage, "invalid budget \"\"");
}

TEST(WithBudgets, RunsEachStrategyWithEachBudget) {
  const std::vector<StrategySpec> strategies = {{"RefineLB", {{"tolerance", "1.1"}}}, {"GreedyLB"}};
  const std::vector<StrategySpec> specs = with_budgets(strategies, MoveBudget::parse_list("1%,all"), 250);
  ASSERT_EQ(specs.size(), 4u);
  EXPECT_EQ(to_string(specs[0]), "RefineLB(tolerance=1.1,max_moves=2)");
  EXPECT_EQ(to_string(specs[1]), "RefineLB(tolerance=1.1)");
  EXPECT_EQ(to_string(specs[2]), "GreedyLB(max_moves=2)");
  EXPECT_EQ(to_string(specs[3]), "GreedyLB");
  const std::vector<StrategySpec> limited = {{"GreedyLB", {{"max_moves", "3"}}}};
  EXPECT_ERROR(with_budgets(limited, MoveBudget::parse_list("1"), 9), usage,
               "GreedyLB(max_moves=3) has max_moves in addition to budgets");
}

}  // namespace
}  // namespace plimsoll::balance
