#include "runtime/recording/phase_observers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// Observer that writes its calls to a list.
class NamedObserver : public PhaseObserver {
 public:
  NamedObserver(std::string name, std::vector<std::string>& calls) : name_(std::move(name)), calls_(calls) {}

  void phase_ended(const EndedPhase&) override {}
  void phase_started(std::int64_t phase) override {
    if (throws) throw std::runtime_error(name_);
    calls_.push_back(name_ + std::to_string(phase));
  }
  bool needs_values() const override { return wants_values; }
  bool needs_all_ranks() const override { return is_in_need; }
  void act_on_all_ranks() override { calls_.push_back(name_ + " acts"); }

  bool throws = false;
  bool wants_values = false;
  bool is_in_need = false;

 private:
  std::string name_;
  std::vector<std::string>& calls_;
};

class PhaseObserversTest : public ::testing::Test {
 protected:
  PhaseObserversTest() {
    for (NamedObserver* observer : {&a, &b, &c}) observers.add(*observer);
  }
  void start_phase(std::int64_t phase) {
    observers.notify([&](PhaseObserver& observer) { observer.phase_started(phase); });
  }

  FirstError errors;
  PhaseObservers observers{errors};
  std::vector<std::string> calls;
  NamedObserver a{"a", calls};
  NamedObserver b{"b", calls};
  NamedObserver c{"c", calls};
};

TEST_F(PhaseObserversTest, AreCalledInOrderAlsoAfterOneThatThrows) {
  b.throws = true;
  start_phase(3);
  EXPECT_EQ(calls, (std::vector<std::string>{"a3", "c3"}));
  EXPECT_STREQ(errors.take().value().what(), "b");
}

TEST_F(PhaseObserversTest, KnowWhenTheyAreCalled) {
  EXPECT_FALSE(observers.is_calling());
  observers.notify([&](PhaseObserver&) { EXPECT_TRUE(observers.is_calling()); });
  EXPECT_FALSE(observers.is_calling());
}

TEST_F(PhaseObserversTest, NeedValuesIfAnyOfThemDoes) {
  EXPECT_FALSE(observers.need_values());
  c.wants_values = true;
  EXPECT_TRUE(observers.need_values());
}

TEST_F(PhaseObserversTest, ActIfAnyRankNeedsIt) {
  EXPECT_EQ(observers.in_need(), 0U);
  a.is_in_need = c.is_in_need = true;
  EXPECT_EQ(observers.in_need(), 5U);
  observers.act_on_all_ranks(6);  // those in need on some other ranks
  EXPECT_EQ(calls, (std::vector<std::string>{"b acts", "c acts"}));
}

}  // namespace

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
