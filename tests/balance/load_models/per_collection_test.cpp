#include <gtest/gtest.h>

#include "balance/load_models/model_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {
namespace {

void add_element(HistoryFactory& factory, std::uint64_t number, std::optional<std::uint64_t> collection,
                 double time_s, std::int64_t phase) {
  factory.task(0, number, time_s, true, phase);
  lbdata::Entity entity;
  entity.id = lbdata::WideInteger{number};
  entity.home = 0;
  entity.migratable = true;
  if (collection) entity.collection_id = lbdata::WideInteger{*collection};
  factory.record(0, phase).tasks.entity.back() = factory.dataset.entities.intern(entity);
}

TEST(PerCollection, SelectsModelByCollectionOfObject) {
  HistoryFactory factory(1);
  for (std::int64_t phase = 0; phase < 3; ++phase) {
    const double load_s = phase == 2 ? 9 : 1 + static_cast<double>(phase);  // loads 1, 2 and 9
    add_element(factory, 1, 7, load_s, phase);
    add_element(factory, 2, 8, load_s, phase);
    add_element(factory, 3, 9, load_s, phase);
    add_element(factory, 4, {}, load_s, phase);
  }
  const LoadModel& model =
      factory.use(make_load_model("PerCollection(7=LinearModel(length=3), 8=PersistenceMedianLastN(n=3) | "
                                  "WeightedCommunicationVolume(alpha=10))"),
                  2);
  EXPECT_DOUBLE_EQ(model.load_s(0, next_phase), 12);
  EXPECT_EQ(model.load_s(1, next_phase), 20);
  EXPECT_EQ(model.load_s(2, next_phase), 9);
  EXPECT_EQ(model.load_s(3, next_phase), 9);
}

TEST(PerCollection, UsesUnderlyingModel) {
  HistoryFactory factory(1);
  add_element(factory, 1, 7, 2, 0);
  add_element(factory, 2, 8, 2, 0);
  const LoadModel& model = factory.use(
      make_load_model("WeightedCommunicationVolume(gamma=1) | PerCollection(7=MultiplePhases(phases=3))"));
  EXPECT_EQ(model.load_s(0, next_phase), 9);
  EXPECT_EQ(model.load_s(1, next_phase), 3);
}

}  // namespace

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
