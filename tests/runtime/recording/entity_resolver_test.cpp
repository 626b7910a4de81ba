#include "runtime/recording/entity_resolver.hpp"

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
}  // namespace plimsoll::runtime
