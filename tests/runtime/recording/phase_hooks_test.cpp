#include "runtime/recording/phase_hooks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

TEST(PhaseHooks, CallsHooksInOrderOfRegistration) {
  FirstError errors;
  PhaseHooks hooks(errors);
  std::vector<std::string> calls;
  hooks.at_end([&](const PhaseSummary& summary) { calls.push_back("end " + std::to_string(summary.phase)); });
  hooks.at_start([&](std::int64_t phase) { calls.push_back("start " + std::to_string(phase)); });
  hooks.at_end([&](const PhaseSummary&) { calls.emplace_back("second end"); });

  const PhaseSummary summary{.phase = 7};
  hooks.phase_ended({{}, summary});
  hooks.phase_started(8);
  EXPECT_EQ(calls, (std::vector<std::string>{"end 7", "second end", "start 8"}));
  EXPECT_FALSE(errors.error().has_value());
}

TEST(PhaseHooks, CallsRemainingHooksWhenOneHookThrows) {
  FirstError errors;
  PhaseHooks hooks(errors);
  int calls = 0;
  hooks.at_start([](std::int64_t) { throw std::runtime_error("first"); });
  hooks.at_start([](std::int64_t) { throw std::runtime_error("second"); });
  hooks.at_start([&](std::int64_t) { ++calls; });
  hooks.phase_started(1);
  EXPECT_EQ(calls, 1);
  EXPECT_STREQ(errors.take().value().what(), "first");
}

TEST(PhaseHooks, CallsHookAddedByAnotherHookFromNextPhaseOn) {
  FirstError errors;
  PhaseHooks hooks(errors);
  int calls = 0;
  hooks.at_start([&](std::int64_t phase) {
    if (phase == 1) hooks.at_start([&](std::int64_t) { ++calls; });
  });
  hooks.phase_started(1);
  EXPECT_EQ(calls, 0);
  hooks.phase_started(2);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace plimsoll::runtime
