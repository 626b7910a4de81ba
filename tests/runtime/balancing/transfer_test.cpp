#include "runtime/balancing/transfer.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <plimsoll/mpi/communicator.hpp>

#include "common/throws_error.hpp"
#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
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
