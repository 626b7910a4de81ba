// Broadcasts that all ranks make together, what elements know about their collection, and copies of arguments
// on the rank of the sender.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <utility>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/throws_error.hpp"
#include "runtime/recorder/recorder_test.hpp"

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

namespace {

/// Value that counts its copies, and forgets it when it is moved from.
struct Counted {
  Counted() = default;
  explicit Counted(std::int64_t its_value) : value(its_value) {}
  Counted(const Counted& other) : value(other.value) { ++n_copies; }
  Counted(Counted&& other) noexcept : value(std::exchange(other.value, 0)) {}
  Counted& operator=(const Counted& other) {
    value = other.value;
    ++n_copies;
    return *this;
  }
  Counted& operator=(Counted&& other) noexcept {
    value = std::exchange(other.value, 0);
    return *this;
  }
  ~Counted() = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }

  std::int64_t value = 0;
  static inline int n_copies = 0;
};

struct Sum {
  Counted operator()(Counted left, const Counted& right) const {
    left.value += right.value;
    return left;
  }
};

std::int64_t sum_on_rank = 0;
void add_on_rank(ObjectSystem&, const Counted& counted) {
  sum_on_rank += counted.value;
}

struct Taker : Element<Taker> {
  Taker() = default;
  explicit Taker(Counted counted) { take(std::move(counted)); }
  void take(Counted counted) {
    last = std::move(counted);
    sum += last.value;
  }
  void look(const Counted& counted) { sum += counted.value; }
  void contribute_kept() {
    const Counted kept(1);
    contribute<&Taker::take, Sum>(kept, collection()[{0}]);
  }
  void contribute_one() { contribute<&Taker::take, Sum>(Counted(1), collection()[{0}]); }

  template <class Archive>
  void serialize(Archive&) {}

  Counted last;
  std::int64_t sum = 0;
};

struct ArgumentCopies : plimsoll::testing::RecorderRun {
  /// Expects that `call` and the messages that result copy this number of arguments on this rank.
  template <class Call>
  void expect_copies(int expected, const Call& call) {
    Counted::n_copies = 0;
    call();
    system.run_until_quiet();
    EXPECT_EQ(Counted::n_copies, expected);
  }

  LoadRecorder recorder{MPI_COMM_WORLD, settings()};
  ObjectSystem system{recorder};
  Collection<Taker> takers{system, {.bounds = {{system.rank_count()}}}};
  ElementProxy<Taker> mine = takers[{system.rank()}];
  ElementProxy<Taker> next = takers[{(system.rank() + 1) % system.rank_count()}];
};

TEST_F(ArgumentCopies, AreNotMadeOfRvalues) {
  for (const ElementProxy<Taker>& to : {mine, next}) {
    expect_copies(0, [&] { to.send<&Taker::take>(Counted(1)); });
    expect_copies(0, [&] { to.send<&Taker::look>(Counted(1)); });
  }
  expect_copies(0, [&] { mine.invoke<&Taker::take>(Counted(1)); });
  expect_copies(0, [&] { mine.invoke<&Taker::look>(Counted(1)); });
  expect_copies(0, [&] { takers.broadcast<&Taker::look>(Counted(1)); });
  expect_copies(0, [&] { takers.broadcast_collective<&Taker::look>(Counted(1)); });
  expect_copies(0, [&] { takers.section({0}, {1}).broadcast<&Taker::look>(Counted(1)); });
  const std::int64_t expected = 4 + 2 + system.rank_count() + 1;
  EXPECT_EQ(takers.find({system.rank()})->sum, expected + (system.rank() == 0 ? system.rank_count() : 0));
}

TEST_F(ArgumentCopies, AreNotMadeOfRvaluesForRanks) {
  sum_on_rank = 0;
  expect_copies(
      0, [&] { system.send_to_rank<&add_on_rank>((system.rank() + 1) % system.rank_count(), Counted(1)); });
  expect_copies(0, [&] { system.broadcast_to_ranks<&add_on_rank>(Counted(1)); });
  EXPECT_EQ(sum_on_rank, 1 + system.rank_count());
}

TEST_F(ArgumentCopies, AreNotMadeOfContributions) {
  expect_copies(0, [&] { takers.broadcast_collective<&Taker::contribute_one>(); });
  EXPECT_EQ(takers.find({system.rank()})->sum, system.rank() == 0 ? system.rank_count() : 0);
}

// A value that other ranks have sent before is merged with the contribution, which then needs no copy.
TEST_F(ArgumentCopies, AreMadeAtMostOnceOfContributionsThatAreKept) {
  Counted::n_copies = 0;
  takers.broadcast_collective<&Taker::contribute_kept>();
  system.run_until_quiet();
  EXPECT_LE(Counted::n_copies, 1);
  EXPECT_GE(recorder.communicator().max(static_cast<double>(Counted::n_copies)), 1) << "on some rank";
  EXPECT_EQ(takers.find({system.rank()})->sum, system.rank() == 0 ? system.rank_count() : 0);
}

TEST_F(ArgumentCopies, AreNotMadeForConstructors) {
  Collection<Taker> sparse(system, {.bounds = {{system.rank_count()}}, .is_dense = false});
  expect_copies(0, [&] { sparse.insert({(system.rank() + 1) % system.rank_count()}, Counted(5)); });
  EXPECT_EQ(sparse.find({system.rank()})->sum, 5);
}

TEST_F(ArgumentCopies, AreMadeOnceOfLvalues) {
  const Counted kept(1);
  expect_copies(1, [&] { mine.send<&Taker::take>(kept); });
  expect_copies(1, [&] { next.send<&Taker::look>(kept); });
  EXPECT_EQ(kept.value, 1);
  EXPECT_EQ(takers.find({system.rank()})->sum, 2);
}

}  // namespace
}  // namespace plimsoll::objects
