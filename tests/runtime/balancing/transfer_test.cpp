#include "runtime/balancing/transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <plimsoll/mpi/communicator.hpp>

#include "common/throws_error.hpp"
#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

ObjectQueue queue_of(std::vector<std::size_t> sizes, std::size_t max_bytes_per_round) {
  ObjectQueue queue{.max_bytes_per_round = max_bytes_per_round};
  for (const std::size_t size : sizes) queue.objects.push_back({numbered(queue.objects.size()), size});
  return queue;
}

/// Returns the number of objects in each packet of each round.
std::vector<std::vector<std::size_t>> rounds_of(ObjectQueue queue) {
  std::vector<std::vector<std::size_t>> rounds;
  for (auto packets = take_round(queue, 3); !packets.empty(); packets = take_round(queue, 3)) {
    auto& round = rounds.emplace_back();
    for (const Packet& packet : packets) {
      EXPECT_EQ(packet.queue, 3u);
      round.push_back(packet.last - packet.first);
    }
  }
  return rounds;
}

using ::testing::ElementsAre;

TEST(ObjectQueue, HasNoRoundIfItIsEmpty) {
  EXPECT_EQ(count_rounds(queue_of({}, 100)), 0);
}

TEST(ObjectQueue, AlignsObjects) {
  ObjectQueue queue = queue_of({1, 16, 17, 0}, 400);
  const auto packets = take_round(queue, 0);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].bytes, 16u + 16 + 32);
}

TEST(ObjectQueue, FillsPacketsWithAQuarterOfTheRound) {
  const ObjectQueue queue = queue_of(std::vector<std::size_t>(10, 32), 256);
  EXPECT_THAT(rounds_of(queue), ElementsAre(ElementsAre(2, 2, 2, 2), ElementsAre(2)));
  EXPECT_EQ(count_rounds(queue), 2);
}

TEST(ObjectQueue, LimitsPacketsTo1MiB) {
  const ObjectQueue queue = queue_of(std::vector<std::size_t>(6, 400'000), std::size_t{1} << 30);
  EXPECT_THAT(rounds_of(queue), ElementsAre(ElementsAre(2, 2, 2)));
}

TEST(ObjectQueue, SendsLargerObjectsAlone) {
  EXPECT_THAT(rounds_of(queue_of({16, 1000, 16, 16}, 128)),
              ElementsAre(ElementsAre(1), ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(rounds_of(queue_of({5, 5, 5}, 0)), ElementsAre(ElementsAre(1), ElementsAre(1), ElementsAre(1)));
}

}  // namespace

namespace {

/// Sends two objects from each rank to the next in messages of at most `piece_bytes`.
class TransferInPieces : public ::testing::TestWithParam<std::size_t> {
 protected:
  static std::vector<SizedObject> objects_of(int rank) {
    const auto number = static_cast<std::uint64_t>(rank);
    return {{numbered(2 * number), 40 + number}, {numbered(2 * number + 1), 7}};
  }

  TransferInPieces() {
    for (const SizedObject& object : objects_of(rank))
      store.objects[object.id] = content_of(object.id, object.bytes);
    if (size < 2) return;
    outgoing.push_back({(rank + 1) % size, objects_of(rank), 1000});
    incoming.push_back({left, objects_of(left), 1000});
  }
  void TearDown() override { communicator.barrier(); }

  const mpi::Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
  const int left = (rank + size - 1) % size;
  ObjectStore store;
  std::vector<ObjectQueue> outgoing;
  std::vector<ObjectQueue> incoming;
};

TEST_P(TransferInPieces, DeliversObjects) {
  const ObjectTransport transport = store.transport();
  Transfer transfer(communicator, outgoing, incoming, transport, GetParam());
  transfer.start_round();
  transfer.run_round();
  EXPECT_FALSE(transfer.error());
  transfer.finish_round();
  ASSERT_EQ(store.objects.size(), 2u);
  for (const SizedObject& object : objects_of(left))
    EXPECT_EQ(store.objects.at(object.id), content_of(object.id, object.bytes));
}

TEST_P(TransferInPieces, FinishesCommunicationAfterError) {
  if (size < 2) GTEST_SKIP() << "requires two ranks";
  ObjectTransport transport = store.transport();
  if (rank == 1)
    transport.pack = [](ObjectId, std::span<std::byte>) -> std::size_t { throw std::bad_alloc(); };
  Transfer transfer(communicator, outgoing, incoming, transport, GetParam());
  transfer.start_round();
  transfer.run_round();
  EXPECT_EQ(transfer.error().has_value(), rank == 1);
  transfer.undo_round();
  EXPECT_EQ(store.objects.size(), 2u);
  for (const SizedObject& object : objects_of(rank))
    EXPECT_EQ(store.objects.at(object.id), content_of(object.id, object.bytes));
}

INSTANTIATE_TEST_SUITE_P(Pieces, TransferInPieces, ::testing::Values(1, 3, 16, 48, 64, 1000));

}  // namespace
}  // namespace plimsoll::runtime
