#include "balance/registry/foreign_strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <plimsoll/balance/strategy.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

// The plug-in and `info` are the only hints that name no built-in strategy.
TEST(ForeignStrategies, NamesOnlyStrategiesThatExist) {
  const StrategyRegistry& registry = StrategyRegistry::builtin();
  for (const ForeignStrategy& foreign : foreign_strategies()) {
    EXPECT_EQ(plimsoll::testing::error_of([&] { registry.info(std::string(foreign.name)); })->kind(),
              ErrorKind::usage);
    EXPECT_TRUE(std::ranges::any_of(registry.list(),
                                    [&](const StrategyInfo& info) {
                                      return foreign.hint.find(info.name) != std::string_view::npos;
                                    }) ||
                foreign.hint == "use 'plimsoll info'")
        << foreign.name;
  }
}

TEST(ForeignStrategies, ErrorNamesReplacement) {
  const StrategyRegistry& registry = StrategyRegistry::builtin();
  EXPECT_ERROR(registry.info("OfflineLB"), usage,
               "unknown strategy \"OfflineLB\", a strategy of vt; use PrescribedLB");
  EXPECT_ERROR(registry.info("rcb"), usage, "unknown strategy \"rcb\", a strategy of Zoltan; use OrbLB");
}

}  // namespace
}  // namespace plimsoll::balance
