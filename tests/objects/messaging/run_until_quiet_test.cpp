#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"
#include "objects/messaging/quiescence.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

using MessageBytes = std::span<const std::byte>;

constexpr auto no_work = [] { return false; };

/// Random numbers that do not depend on the order in which messages arrive.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Node of a random tree. Whoever receives it sends its children to random ranks.
struct Node {
  std::uint64_t seed = 0;
  std::int64_t depth = 0;
  std::int64_t number = 0;  ///< of the message, counted per pair of ranks

  std::uint64_t n_children() const { return depth > 0 ? mixed(seed) % 4 : 0; }
  Node child(std::uint64_t k) const { return {mixed(seed + k + 1), depth - 1, 0}; }
};

std::int64_t size_of(const Node& node) {
  std::int64_t size = 1;
  for (std::uint64_t k = 0; k < node.n_children(); ++k) size += size_of(node.child(k));
  return size;
}

/// Sends random trees, and counts their nodes.
class Forest {
 public:
  explicit Forest(const mpi::Communicator& communicator)
      : communicator_(communicator),
        exchange_(communicator),
        quiescence_(communicator),
        sent_to_(static_cast<std::size_t>(communicator.size())),
        received_from_(sent_to_.size()) {}

  /// Visits the tree of each rank's seed. Returns the number of nodes that all ranks have visited.
  std::int64_t visit(const Node& root) {
    visited_ = 0;
    mine_.push_back(root);
    run_until_quiet(
        exchange_, quiescence_, [this](int from, MessageBytes message) { receive(from, message); },
        [this] { return visit_next(); });
    EXPECT_TRUE(mine_.empty());
    return communicator_.sum(visited_);
  }

 private:
  /// Sizes from a bare node to 1 MiB, most of them small.
  static std::size_t size_bytes(const Node& node) {
    const std::uint64_t random = mixed(node.seed ^ 77);
    return sizeof(Node) + (random % 256 == 0  ? (std::size_t{1} << 20)
                           : random % 32 == 1 ? 50'000
                                              : random % 200);
  }

  void send(Node node) {
    const int rank = static_cast<int>(mixed(node.seed ^ 99) % sent_to_.size());
    if (rank == communicator_.rank()) {
      mine_.push_back(node);
      return;
    }
    node.number = sent_to_[static_cast<std::size_t>(rank)]++;
    const std::span<std::byte> message = exchange_.append(rank, size_bytes(node));
    std::memcpy(message.data(), &node, sizeof node);
    message.back() = message.size() > sizeof node ? std::byte{42} : message.back();
  }

  void receive(int from, MessageBytes message) {
    Node node;
    ASSERT_GE(message.size(), sizeof node);
    std::memcpy(&node, message.data(), sizeof node);
    EXPECT_EQ(message.size(), size_bytes(node));
    if (message.size() > sizeof node) {
      EXPECT_EQ(message.back(), std::byte{42});
    }
    EXPECT_EQ(node.number, received_from_[static_cast<std::size_t>(from)]++);
    send_children(node);
  }

  bool visit_next() {
    if (mine_.empty()) return false;
    const Node node = mine_.front();
    mine_.pop_front();
    send_children(node);
    return true;
  }

  void send_children(const Node& node) {
    ++visited_;
    for (std::uint64_t k = 0; k < node.n_children(); ++k) send(node.child(k));
  }

  const mpi::Communicator& communicator_;
  MessageExchange exchange_;
  Quiescence quiescence_;
  std::deque<Node> mine_;
  std::vector<std::int64_t> sent_to_;
  std::vector<std::int64_t> received_from_;
  std::int64_t visited_ = 0;
};

TEST(RunUntilQuiet, DeliversEachMessageOfRandomTreesOnce) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  Forest forest(world);
  for (std::uint64_t repetition = 0; repetition < 5; ++repetition) {
    const auto root_of = [&](int rank) {
      return Node{mixed(1000 * repetition + static_cast<std::uint64_t>(rank)), 16, 0};
    };
    std::int64_t expected = 0;
    for (int rank = 0; rank < world.size(); ++rank) expected += size_of(root_of(rank));
    EXPECT_EQ(forest.visit(root_of(world.rank())), expected);
  }
}

TEST(RunUntilQuiet, IsQuietTwiceInARow) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world);
  Quiescence quiescence(world);
  for (int k = 0; k < 2; ++k)
    run_until_quiet(
        exchange, quiescence, [](int, MessageBytes) { ADD_FAILURE(); }, no_work);
}

TEST(RunUntilQuiet, DoesNotEndDuringLongChain) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  MessageExchange exchange(world);
  Quiescence quiescence(world);
  constexpr int hops = 2'000;
  int last = -1;
  const auto send = [&](int hop) {
    const std::span<std::byte> message = exchange.append((world.rank() + 1) % world.size(), sizeof hop);
    std::memcpy(message.data(), &hop, sizeof hop);
  };
  if (world.rank() == 0) send(0);
  run_until_quiet(
      exchange, quiescence,
      [&](int, MessageBytes message) {
        std::memcpy(&last, message.data(), sizeof last);
        if (last < hops) send(last + 1);
      },
      no_work);
  EXPECT_EQ(world.max(last), hops);
}

TEST(RunUntilQuiet, DoesNotEndWhileARankWorks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world);
  Quiescence quiescence(world);
  const int last = world.size() - 1;
  int steps = world.rank() == last ? 20 : 0;
  run_until_quiet(
      exchange, quiescence, [](int, MessageBytes) {},
      [&] {
        if (steps == 0) return false;
        usleep(1'000);
        if (--steps == 0 && last > 0) exchange.append(0, 0);
        return true;
      });
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(exchange.received(), world.rank() == 0 && last > 0 ? 1 : 0);
}

TEST(RunUntilQuiet, EndsOnAllRanksAfterAnException) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const int last = world.size() - 1;
  const auto run = [&] {
    MessageExchange exchange(world);
    Quiescence quiescence(world);
    if (world.rank() == 0)
      for (const std::size_t bytes : {0, 1 << 20}) exchange.append(last, bytes);
    run_until_quiet(
        exchange, quiescence, [](int, MessageBytes) { throw support::usage_error("handler failed"); },
        no_work);
  };
  if (world.rank() == last)
    EXPECT_ERROR(run(), usage, "handler failed");
  else
    EXPECT_ERROR(run(), system, "another rank has stopped waiting for messages");
}

double used_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(RunUntilQuiet, WaitsForALateRankWithoutUsingACore) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world);
  Quiescence quiescence(world);
  world.barrier();
  const double start_s = used_cpu_s();
  if (world.rank() == 0) usleep(300'000);
  run_until_quiet(
      exchange, quiescence, [](int, MessageBytes) {}, no_work);
  EXPECT_LT(used_cpu_s() - start_s, 0.15);
}

}  // namespace
}  // namespace plimsoll::objects
