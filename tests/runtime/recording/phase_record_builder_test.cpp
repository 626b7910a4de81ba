#include "runtime/recording/phase_record_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/recording/measured_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using lbdata::CommCategory;
using plimsoll::testing::MeasuredRank;

class EntityResolution : public ::testing::Test {
 protected:
  ObjectId id(ObjectHandle object) const { return its_.recording.objects[object.slot].id; }
  lbdata::EntityIndex entity(ObjectHandle object) const { return its_.recording.objects[object.slot].entity; }
  /// Adds one message between two endpoints and returns their edge.
  const EdgeTable::Edge& send(Endpoint from, Endpoint to) {
    its_.recording.edges.add(from, to, CommCategory::SendRecv, 8, 1);
    resolver_.resolve_edges();
    for (const EdgeTable::Edge& edge : its_.recording.edges.edges())
      if (edge.from == from && edge.to == to) return edge;
    throw std::logic_error("an edge is lost");
  }

  MeasuredRank its_;
  EntityResolver resolver_{its_.recording, its_.data};
};

TEST_F(EntityResolution, FindsObjectsOfThisRank) {
  const ObjectHandle object = its_.enter(1);
  const ObjectHandle guest = its_.enter(7, 0);
  const EdgeTable::Edge& edge = send(id(object), id(guest));
  EXPECT_EQ(edge.from_entity, entity(object));
  EXPECT_EQ(edge.to_entity, entity(guest));
  EXPECT_FALSE(edge.off_rank) << "the guest is on this rank, regardless of its home";
}

TEST_F(EntityResolution, DescribesRemoteObjectsById) {
  const ObjectHandle object = its_.enter(1);
  const EdgeTable::Edge& edge = send(object_id(3, 5, false), id(object));
  EXPECT_TRUE(edge.off_rank);
  const lbdata::EntityTable& entities = its_.data.entities();
  EXPECT_EQ(entities.kind(edge.from_entity), lbdata::EntityKind::object);
  EXPECT_EQ(entities.number(edge.from_entity).bits, static_cast<std::uint64_t>(object_id(3, 5, false)));
  EXPECT_EQ(entities.home(edge.from_entity), 3);
  EXPECT_FALSE(entities.migratable(edge.from_entity));
  EXPECT_TRUE(entities.migratable(send(object_id(3, 6), id(object)).from_entity));
}

TEST_F(EntityResolution, DistinguishesThisRankFromOthers) {
  const ObjectHandle object = its_.enter(1);
  const EdgeTable::Edge here = send(id(object), Endpoint::node(MeasuredRank::rank));
  EXPECT_FALSE(here.off_rank);
  EXPECT_EQ(its_.data.entities().kind(here.to_entity), lbdata::EntityKind::node);
  EXPECT_TRUE(send(id(object), Endpoint::node(0)).off_rank);
}

TEST_F(EntityResolution, TreatsSharedBlocksAsRemoteEntities) {
  const EdgeTable::Edge edge = send(Endpoint::node(MeasuredRank::rank), Endpoint::shared_block(9));
  EXPECT_TRUE(edge.off_rank);
  EXPECT_EQ(its_.data.entities().kind(edge.to_entity), lbdata::EntityKind::shared_id);
  EXPECT_EQ(its_.data.entities().number(edge.to_entity).bits, 9U);
}

TEST_F(EntityResolution, ResolvesEdgesAgainWhenObjectArrives) {
  const ObjectHandle object = its_.enter(1);
  EXPECT_TRUE(send(id(object), object_id(0, 7)).off_rank);
  its_.recording.edges.end_phase();
  const ObjectHandle guest = its_.enter(7, 0);
  const EdgeTable::Edge& edge = send(id(object), object_id(0, 7));
  EXPECT_FALSE(edge.off_rank);
  EXPECT_EQ(edge.to_entity, entity(guest));
}

TEST_F(EntityResolution, KeepsRemovedObjectsUntilPhaseEnds) {
  const ObjectHandle object = its_.enter(1);
  const ObjectHandle guest = its_.enter(7, 0);
  const ObjectId gone = id(guest);
  its_.recording.objects.remove(guest);
  EXPECT_FALSE(send(id(object), gone).off_rank);
  its_.recording.edges.end_phase();
  its_.recording.objects.end_phase();
  EXPECT_TRUE(send(id(object), gone).off_rank);
}

TEST_F(EntityResolution, RemovesUnusedEntities) {
  const ObjectHandle object = its_.enter(1);
  for (std::uint64_t number = 0; number < 5000; ++number) send(id(object), object_id(1, number));
  const ObjectHandle guest = its_.enter(7, 0);
  EXPECT_GT(its_.data.entities().size(), 5000U);
  its_.recording.edges.end_phase();
  resolver_.forget_unused();
  EXPECT_EQ(its_.data.entities().size(), 3U) << "the rank object and two objects";
  for (const ObjectHandle kept : {object, guest})
    EXPECT_EQ(its_.data.entities().number(entity(kept)).bits, static_cast<std::uint64_t>(id(kept)));
  EXPECT_EQ(send(id(object), id(guest)).to_entity, entity(guest));
}

}  // namespace

namespace {

using lbdata::CommCategory;
using plimsoll::testing::MeasuredRank;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

lbdata::PhaseRecord work_of(MeasuredRank& its) {
  EntityResolver(its.recording, its.data).resolve_edges();
  PhaseRecordBuilder builder(its.recording, its.data, 4);
  builder.add_work();
  return builder.record();
}

/// Returns the record, with values, of one phase that took 3 s on its rank.
lbdata::PhaseRecord record_of(MeasuredRank& its, bool marks_waits = false) {
  PhaseRecordBuilder builder(its.recording, its.data, 4);
  builder.add_work();
  builder.add_values({.total_s = 3, .objects_s = 1.5, .background_s = 1, .idle_s = 0.5, .cpu_total_s = 2.5},
                     marks_waits);
  return builder.record();
}

TEST(PhaseRecordBuilder, CreatesOneTaskPerObject) {
  MeasuredRank its;
  const ObjectHandle object = its.enter(1);
  const ObjectHandle resting = its.enter(2);
  its.recording.loads.add(object.slot, 0.5);
  const lbdata::PhaseRecord record = work_of(its);
  EXPECT_EQ(record.id, 4);
  ASSERT_EQ(record.tasks.size(), 3U) << "two objects and the rank object";
  EXPECT_EQ(record.tasks.entity[1], its.recording.objects[object.slot].entity);
  EXPECT_EQ(record.tasks.entity[2], its.recording.objects[resting.slot].entity);
  EXPECT_THAT(record.tasks.time_s, ElementsAre(0, 0.5, 0));
  EXPECT_THAT(record.tasks.node, ElementsAre(2, 2, 2));
  EXPECT_THAT(record.tasks.subphase_end, ElementsAre(0, 0, 0));
  EXPECT_FALSE(record.communications.has_value());
}

TEST(PhaseRecordBuilder, ListsSubphasesUpToLastWithWork) {
  MeasuredRank its;
  const ObjectHandle first = its.enter(1);
  const ObjectHandle second = its.enter(2);
  its.recording.loads.add(first.slot, 8);  // time outside all subphases
  its.meter.timer().set_column(2);         // subphase 1
  its.recording.loads.add(first.slot, 0.5);
  its.meter.timer().set_column(3);
  its.recording.loads.add(second.slot, 0.25);
  const lbdata::Tasks tasks = work_of(its).tasks;
  EXPECT_THAT(tasks.time_s, ElementsAre(0, 8.5, 0.25));
  EXPECT_THAT(tasks.subphase_end, ElementsAre(0, 2, 5));
  EXPECT_THAT(tasks.subphase_id, ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THAT(tasks.subphase_time_s, ElementsAre(0, 0.5, 0, 0, 0.25));
}

TEST(PhaseRecordBuilder, KeepsTasksOfRemovedObjectsWithLoad) {
  MeasuredRank its;
  const ObjectHandle worked = its.enter(1);
  const ObjectHandle rested = its.enter(2);
  its.recording.loads.add(worked.slot, 0.5);
  its.recording.objects.remove(worked);
  its.recording.objects.remove(rested);
  const lbdata::Tasks tasks = work_of(its).tasks;
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks.entity[1], its.recording.objects[worked.slot].entity);
}

TEST(PhaseRecordBuilder, CombinesMessagesBetweenTwoEndpointsIntoOneEdge) {
  MeasuredRank its;
  const ObjectId from = its.recording.objects[its.enter(1).slot].id;
  EdgeTable& edges = its.recording.edges;
  edges.add(from, object_id(0, 2), CommCategory::SendRecv, 100, 1);
  edges.add(from, object_id(0, 2), CommCategory::SendRecv, 50, 2);
  edges.add(from, Endpoint::node(1), CommCategory::CollectionToNode, 7, 1);
  const lbdata::PhaseRecord record = work_of(its);
  ASSERT_TRUE(record.communications.has_value());
  EXPECT_THAT(record.communications->bytes, ElementsAre(150, 7));
  EXPECT_THAT(record.communications->messages, ElementsAre(3, 1));
  const lbdata::NameTable names = lbdata::Dataset::known_categories();
  EXPECT_EQ(names[record.communications->category[0]], "SendRecv");
  EXPECT_EQ(names[record.communications->category[1]], "CollectionToNode");
  EXPECT_EQ(its.data.entities().kind(record.communications->to[1]), lbdata::EntityKind::node);

  edges.end_phase();
  EXPECT_FALSE(work_of(its).communications.has_value()) << "the only edge has no messages in this phase";
}

TEST(PhaseRecordBuilder, AddsUserValuesOfObjects) {
  MeasuredRank its;
  const ObjectHandle object = its.enter(1);
  its.recording.objects.values(UserValueKind::user_defined)[object.slot].set("cells", std::int64_t{64});
  its.recording.objects.values(UserValueKind::attributes)[object.slot].set("weight", 1.5);
  const lbdata::PhaseRecord record = record_of(its);
  EXPECT_EQ(record.tasks.user_defined.at(1), R"({"cells":64})");
  EXPECT_EQ(record.tasks.attributes.at(1), R"({"weight":1.5})");
  EXPECT_EQ(record.tasks.user_defined.at(0), "");
}

TEST(PhaseRecordBuilder, AssignsRankTimesToRankObject) {
  MeasuredRank its;
  its.enter(1);
  const lbdata::PhaseRecord record = record_of(its);
  EXPECT_EQ(record.tasks.attributes.at(0), R"({"background_time":1.0,"idle_time":0.5,"total_time":3.0})");
  EXPECT_EQ(record.tasks.attributes.size(), 1U);
  EXPECT_FALSE(record.user_defined.has_value());
}

TEST(PhaseRecordBuilder, AssignsBackgroundLoadToRankObjectIfWaitsAreMarked) {
  MeasuredRank its;
  its.enter(1);
  EXPECT_THAT(std::string(record_of(its, true).tasks.attributes.at(0)),
              HasSubstr(R"("background_load":1.0)"));
}

TEST(PhaseRecordBuilder, AddsCpuTimeIfMeasured) {
  MeasuredRank its(true);
  its.enter(1);
  const lbdata::PhaseRecord record = record_of(its);
  EXPECT_THAT(std::string(record.tasks.attributes.at(0)),
              AllOf(HasSubstr(R"("cpu_time":)"), HasSubstr(R"("total_cpu_time":2.5)")));
  EXPECT_THAT(std::string(record.tasks.attributes.at(1)),
              AllOf(HasSubstr(R"("cpu_time":0.0)"), Not(HasSubstr("total"))));
}

TEST(PhaseRecordBuilder, AddsWallTimeIfCpuTimeIsLoad) {
  MeasuredRank its(true, LoadTime::cpu);
  its.enter(1);
  const lbdata::PhaseRecord record = record_of(its);
  EXPECT_THAT(std::string(record.tasks.attributes.at(0)),
              AllOf(HasSubstr(R"("wall_time":)"), HasSubstr(R"("total_cpu_time":2.5)")));
  EXPECT_EQ(record.tasks.attributes.at(1), R"({"wall_time":0.0})");
}

}  // namespace
}  // namespace plimsoll::runtime
