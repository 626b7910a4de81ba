// Broadcasts that all ranks make together, and what elements know about their collection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

struct Node : Element<Node, 2> {
  std::uint64_t count_at_creation = collection().count();
  int received = 0;
  std::int64_t total = 0;

  void receive(int value) { received += value; }
  void keep(std::int64_t value) { total = value; }
  /// Adds the numbers of all elements up in the last one.
  void add_up() {
    const auto [n, m] = collection().bounds().sizes;
    contribute<&Node::keep, std::plus<>>(static_cast<std::int64_t>(proxy().number()),
                                         collection()[{n - 1, m - 1}]);
  }
  void tell_itself() { proxy().send<&Node::receive>(100); }
  void broadcast() { collection().broadcast_collective<&Node::receive>(1); }
  void move_on() { migrate_to((system().rank() + 1) % system().rank_count()); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(count_at_creation, received, total);
  }
};

class CollectiveBroadcasts : public ::testing::Test {
 protected:
  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
  Collection<Node> nodes{system, {.bounds = {{4, 3}}}};
};

TEST_F(CollectiveBroadcasts, ReachEachElementOnce) {
  for (int round = 1; round <= 3; ++round) {
    nodes.broadcast_collective<&Node::receive>(1);
    nodes.for_each_local([](Node& node) { node.move_on(); });
    system.run_until_quiet();
    nodes.broadcast_collective<&Node::receive>(10);
    system.run_until_quiet();
    nodes.for_each_local([&](const Node& node) { EXPECT_EQ(node.received, 11 * round); });
  }
}

TEST_F(CollectiveBroadcasts, AreMeasuredAndRecordedWhereTheElementsAre) {
  nodes.broadcast_collective<&Node::receive>(1);
  system.next_phase();
  const lbdata::PhaseRecord& record = recorder.node_lb_data().phases().back();
  std::size_t n_here = 0;
  nodes.for_each_local([&](const Node&) { ++n_here; });
  ASSERT_EQ(record.communications.has_value(), n_here > 0);
  if (n_here > 0) {
    EXPECT_EQ(record.communications->size(), n_here);
  }
  double load_s = 0;
  for (std::uint32_t task = 0; task < record.tasks.size(); ++task)
    if (recorder.node_lb_data().entities().index(record.tasks.entity[task]).size() > 0)
      load_s += record.tasks.time_s[task];
  EXPECT_GT(recorder.communicator().sum(load_s), 0);
}

TEST_F(CollectiveBroadcasts, BelongToTheMainProgram) {
  if (system.rank() == 0) nodes[{0, 0}].send<&Node::broadcast>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "broadcast_collective() is called by an element");
}

TEST_F(CollectiveBroadcasts, LetElementsReadTheirCollection) {
  nodes.broadcast_collective<&Node::add_up>();
  nodes.broadcast_collective<&Node::tell_itself>();
  system.run_until_quiet();
  nodes.for_each_local([](const Node& node) { EXPECT_EQ(node.received, 100); });
  const Node* const last = nodes.find({3, 2});
  EXPECT_TRUE(last == nullptr || last->total == 66);  // 0 + 1 + ... + 11
}

TEST_F(CollectiveBroadcasts, KnowTheNumberOfElements) {
  EXPECT_EQ(nodes.count(), 12);
  Collection<Node> sparse(system, {.bounds = {{4, 3}}, .is_dense = false});
  EXPECT_EQ(sparse.count(), 0);
  if (system.rank() == 0) {
    sparse.insert({1, 1});
    sparse.insert({2, 2});
  }
  system.run_until_quiet();
  EXPECT_EQ(sparse.count(), 2);
  sparse.for_each_local([](Node& node) {
    EXPECT_EQ(node.count_at_creation, 0);
    if (node.index() == Index<2>{1, 1}) node.destroy();
  });
  system.run_until_quiet();
  EXPECT_EQ(sparse.count(), 1);
  EXPECT_EQ(nodes.count(), 12);
}

}  // namespace
}  // namespace plimsoll::objects
