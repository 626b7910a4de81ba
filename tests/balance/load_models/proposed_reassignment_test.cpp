#include <gtest/gtest.h>

#include "balance/load_models/model_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

TEST(ProposedReassignment, PredictsLoadsAfterReassignment) {
  HistoryFactory here(1);
  here.task(0, 1, 1);
  here.task(0, 2, 2);
  here.task(0, 3, 4);
  HistoryFactory there(1);
  there.task_with_subphases(4, 8, {3, 5});
  const std::string text = "WeightedCommunicationVolume(alpha=10)";
  const LoadModelPtr from = make_load_model(text);
  there.use(from);
  const LoadModelPtr base = make_load_model(text);
  here.use(base);

  const ProposedReassignment proposed(base, {1}, {ProposedReassignment::ship(*from, 0)});
  ASSERT_EQ(proposed.n_objects(), 3U);
  EXPECT_EQ(proposed.load_s(0, next_phase), 10);
  EXPECT_EQ(proposed.load_s(1, next_phase), 40);
  EXPECT_EQ(proposed.load_s(2, next_phase), 80);
  EXPECT_EQ(proposed.raw_load_s(2, next_phase), 8);
  EXPECT_EQ(proposed.load_s(2, next_phase.of(1)), 50);
  EXPECT_EQ(proposed.load_s(2, next_phase.of(2)), 0);
  EXPECT_EQ(proposed.n_subphases(2), 2U);
  EXPECT_EQ(proposed.load_s(1, {.phases = -1}), 40);
  EXPECT_ERROR(proposed.load_s(2, {.phases = -1}), usage, "only the next phase is known");
}

TEST(ProposedReassignment, RejectsDepartureOfUnknownObject) {
  HistoryFactory factory(1);
  factory.task(0, 1, 1);
  const LoadModelPtr base = make_load_model("RawData");
  factory.use(base);
  EXPECT_ERROR(ProposedReassignment(base, {1}, {}), usage, "object 1 cannot depart: the model has only 1");
}

}  // namespace
}  // namespace plimsoll::balance::testing
