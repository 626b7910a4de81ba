// Tests objects that change, as in adaptive meshes, with any number of ranks.
#include <gmock/gmock.h>

#include <algorithm>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using runtime::object_id;
using runtime::PastLoad;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChangingObjects : public RecorderRun {
 protected:
  ObjectId id(std::uint64_t number) const { return object_id(rank, number); }
  Settings in_memory(const std::string& model = "NaivePersistence", std::int64_t history = 4) const {
    Settings result = settings();
    result.lb_data = false;
    result.lb_load_model = model;
    result.lb_history = history;
    return result;
  }
};

std::vector<PastLoad> past_loads(LoadRecorder& recorder, ObjectId id) {
  runtime::NodeLBData& data = recorder.node_lb_data();
  lbdata::EntityIndex entity = 0;
  while (entity < data.entities().size() &&
         data.entities().number(entity).bits != static_cast<std::uint64_t>(id))
    ++entity;
  return data.history(entity);
}

/// Returns the loads of an object in the kept phases.
std::vector<double> history_of(LoadRecorder& recorder, ObjectId id) {
  std::vector<double> result;
  for (const PastLoad& load : past_loads(recorder, id)) result.push_back(load.time_s);
  return result;
}

TEST_F(ChangingObjects, AreRegisteredAndRemovedByDifference) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const std::uint64_t other = recorder.add_collection();
  const ObjectHandle of_other = recorder.register_object({.collection = other, .number = 100});
  const ObjectHandle member = recorder.register_object_group();
  std::vector<ObjectHandle> objects = recorder.set_objects(std::vector{id(1), id(2), id(3)});
  ASSERT_EQ(objects.size(), 3U);
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(recorder.id(objects[static_cast<std::size_t>(k)]), id(static_cast<std::uint64_t>(k) + 1));
  const ObjectHandle stays = objects[1];
  objects = recorder.set_objects(std::vector{id(9), id(2)});
  EXPECT_EQ(objects[1], stays) << "the handle of an object that stays remains valid";
  EXPECT_EQ(recorder.find(id(9)), objects[0]);
  EXPECT_FALSE(recorder.find(id(1)));
  EXPECT_FALSE(recorder.find(id(3)));
  recorder.next_phase();
  EXPECT_THAT(recorder.set_objects({}), IsEmpty());
  EXPECT_THAT(recorder.set_objects({}, {.collection = other}), IsEmpty());
  EXPECT_EQ(recorder.id(of_other), ObjectId::none);
  EXPECT_NE(recorder.id(member), ObjectId::none);
  recorder.next_phase();
  recorder.close();

  const lbdata::Dataset dataset = read();
  const lbdata::RankData& mine = dataset.ranks[static_cast<std::size_t>(rank)];
  EXPECT_EQ(ids_of(dataset, mine.phases[0]).size(), 5U) << "2, 9, 100, the member and the rank object";
  EXPECT_EQ(ids_of(dataset, mine.phases[1]).size(), 2U) << "the member and the rank object";
}

TEST_F(ChangingObjects, ReportInvalidAndRepeatedIds) {
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
  const auto expect_repeat = [&] {
    const auto error = error_of_next_phase(recorder);
    ASSERT_TRUE(error);
    EXPECT_THAT(error->what(), HasSubstr("occurs twice; specify each object once"));
  };
  std::vector<ObjectHandle> objects = recorder.set_objects(std::vector{id(1), id(1)});
  EXPECT_TRUE(objects[0]);
  EXPECT_FALSE(objects[1]);
  expect_repeat();
  objects = recorder.set_objects(std::vector{id(1), id(1)});  // now registered already
  EXPECT_TRUE(objects[0]);
  EXPECT_FALSE(objects[1]);
  expect_repeat();
  objects = recorder.set_objects(std::vector{ObjectId::none, id(2)});
  EXPECT_FALSE(objects[0]);
  EXPECT_TRUE(objects[1]);
  const auto error = error_of_next_phase(recorder);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what(), HasSubstr("invalid object ID 0"));
  recorder.begin(objects[1]);
  recorder.set_objects({});
  recorder.end(objects[1]);
  EXPECT_THAT(error_of_next_phase(recorder)->what(), HasSubstr("still being measured"));
  EXPECT_TRUE(recorder.find(id(2)));
  recorder.close();
}

// Refines a block into four, and coarsens these again.
TEST_F(ChangingObjects, InheritHistory) {
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory("LinearModel(length=4)"));
  std::vector<double> predicted;
  const auto end_phase = [&] { predicted.push_back(recorder.next_phase().rank_load_modeled_s.maximum()); };
  const ObjectHandle block = recorder.register_object({.number = 0});
  for (const double load_s : {4.0, 8.0}) {
    recorder.add_time(block, load_s);
    end_phase();
  }
  std::vector<ObjectHandle> children;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    children.push_back(recorder.register_object({.number = k}));
    recorder.inherit(block, children.back(), 0.25);
    recorder.add_time(children.back(), 3.0);
  }
  recorder.remove_object(block);
  EXPECT_THAT(history_of(recorder, id(1)), ElementsAre(1, 2));
  end_phase();
  EXPECT_NEAR(predicted.back(), 16, 1e-9) << "each child continues 1, 2, 3 with 4";

  const ObjectHandle coarse = recorder.register_object({.number = 9});
  for (const ObjectHandle child : children) recorder.inherit(child, coarse);
  for (const ObjectHandle child : children) recorder.remove_object(child);
  EXPECT_THAT(history_of(recorder, id(9)), ElementsAre(4, 8, 12));
  recorder.add_time(coarse, 16);
  end_phase();
  EXPECT_NEAR(predicted.back(), 20, 1e-9);
  recorder.close();
}

TEST_F(ChangingObjects, DoNotInheritTwiceAfterReturning) {
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
  const auto expect = [&](const std::vector<double>& loads_s) {
    EXPECT_THAT(history_of(recorder, id(0)), ::testing::ElementsAreArray(loads_s));
  };
  ObjectHandle block = recorder.register_object({.number = 0});
  recorder.add_time(block, 5);
  recorder.next_phase();
  ObjectHandle child = recorder.register_object({.number = 1});
  recorder.inherit(block, child);
  recorder.remove_object(block);
  recorder.add_time(child, 6);
  recorder.next_phase();
  for (int time = 0; time < 2; ++time) {
    block = recorder.register_object({.number = 0});
    recorder.inherit(child, block);
    expect({5, 6});  // its own measured load of phase 0, and the child's of phase 1
    recorder.remove_object(block);
  }
  recorder.close();
}

TEST_F(ChangingObjects, InheritSubphases) {
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory("SelectSubphases(subphases=[1])|LinearModel(length=2)"));
  const ObjectHandle block = recorder.register_object();
  recorder.set_subphase(1);
  recorder.add_time(block, 4.0);
  recorder.leave_subphase();
  recorder.next_phase();
  const ObjectHandle child = recorder.register_object();
  recorder.inherit(block, child, 0.5);
  recorder.remove_object(block);
  const std::vector<PastLoad> loads = past_loads(recorder, recorder.id(child));
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_THAT(loads[0].subphases_s, ElementsAre(0, 2));
  recorder.set_subphase(1);
  recorder.add_time(child, 3.0);
  EXPECT_NEAR(recorder.next_phase().object_load_modeled_s.maximum(), 4, 1e-9) << "continues 2, 3";
  recorder.close();
}

TEST_F(ChangingObjects, InheritValuesAndPositionUnlessSet) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle parent = recorder.register_object();
  const ObjectHandle child = recorder.register_object();
  const ObjectHandle own = recorder.register_object();
  recorder.set_value(parent, UserValueKind::user_defined, "level", std::int64_t{3});
  recorder.set_value(parent, UserValueKind::attributes, "kind", "wave");
  recorder.set_position(parent, std::vector{0.5, 1.5});
  recorder.set_value(own, UserValueKind::user_defined, "level", std::int64_t{4});
  recorder.set_position(own, std::vector{2.0, -3.0});
  recorder.inherit(parent, child, 0.5);
  recorder.inherit(parent, own, 0.5);
  recorder.inherit(parent, parent);
  const ObjectId ids[] = {recorder.id(child), recorder.id(own)};
  recorder.remove_object(parent);
  recorder.next_phase();
  recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  for (const lbdata::PhaseRecord& phase : dataset.ranks[static_cast<std::size_t>(rank)].phases) {
    const lbdata::Tasks& tasks = phase.tasks;
    EXPECT_EQ(tasks.user_defined.at(*task_of(dataset, phase, ids[0])), R"({"level":3,"position":[0.5,1.5]})");
    EXPECT_EQ(tasks.user_defined.at(*task_of(dataset, phase, ids[1])),
              R"({"level":4,"position":[2.0,-3.0]})");
    for (const ObjectId each : ids)
      EXPECT_EQ(tasks.attributes.at(*task_of(dataset, phase, each)), R"({"kind":"wave"})");
  }
}

TEST_F(ChangingObjects, ReportInvalidArguments) {
  LoadRecorder recorder(MPI_COMM_WORLD, in_memory());
  const ObjectHandle object = recorder.register_object();
  const auto expect = [&](const char* text) {
    const auto error = error_of_next_phase(recorder);
    ASSERT_TRUE(error) << text;
    EXPECT_THAT(error->what(), HasSubstr(text));
  };
  recorder.inherit(object, {});
  expect("inherit(): object is not");
  recorder.inherit({}, object);
  expect("inherit(): object is not");
  recorder.inherit(object, recorder.rank_object(), -1);
  expect("invalid share -1 for inherit(): must be finite and >= 0");
  recorder.set_position({}, std::vector{1.0});
  expect("set_position(): object is not");
  recorder.set_position(object, std::vector{1.0, 2.0, 3.0, 4.0});
  expect("invalid position with 4 coordinates");
  recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
