#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <random>
#include <thread>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

std::vector<std::byte> parcel_bytes(std::size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<std::byte>(k * 7 + k / 256 + seed * 31);
  return bytes;
}

class SparseExchangeTest : public ::testing::Test {
 protected:
  void TearDown() override { communicator.barrier(); }

  const Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
};

TEST_F(SparseExchangeTest, DeliversNothingIfNobodySends) {
  for (int k = 0; k < 20; ++k) EXPECT_TRUE(exchange(communicator, {}).empty());
}

TEST_F(SparseExchangeTest, DeliversSizesAroundPieceBoundaries) {
  for (std::size_t piece = 1; piece <= 4; ++piece) {
    for (std::size_t length = 0; length <= 3 * piece + 1; ++length) {
      std::vector<Parcel> outgoing;
      for (int to = 0; to < size; ++to) outgoing.push_back({to, parcel_bytes(length, rank * size + to)});
      const auto received = exchange(communicator, std::move(outgoing), piece);
      ASSERT_EQ(std::ssize(received), size);
      for (int from = 0; from < size; ++from) {
        EXPECT_EQ(received[from].rank, from);
        EXPECT_EQ(received[from].bytes, parcel_bytes(length, from * size + rank));
      }
    }
  }
}

// Every rank knows from the same random numbers what all ranks send.
TEST_F(SparseExchangeTest, DeliversRandomParcelsInOrderOfSenders) {
  std::mt19937 random(1);
  for (int number = 0; number < 100; ++number) {
    std::vector<Parcel> outgoing;
    std::vector<Parcel> expected;
    for (int from = 0; from < size; ++from) {
      const auto count = random() % 5;
      for (unsigned k = 0; k < count; ++k) {
        const int to = static_cast<int>(random() % size);
        const std::size_t length = random() % 4 == 0 ? random() % 300'000 : random() % 100;
        const int seed = static_cast<int>(random() % 1000);
        if (from == rank) outgoing.push_back({to, parcel_bytes(length, seed)});
        if (to == rank) expected.push_back({from, parcel_bytes(length, seed)});
      }
    }
    const auto received = exchange(communicator, std::move(outgoing), 65'536);
    ASSERT_EQ(received.size(), expected.size());
    for (std::size_t k = 0; k < received.size(); ++k) {
      EXPECT_EQ(received[k].rank, expected[k].rank);
      EXPECT_EQ(received[k].bytes, expected[k].bytes);
    }
  }
}

// Some ranks are slow, so that others are already in the next exchange when they receive.
TEST_F(SparseExchangeTest, DoesNotMixConsecutiveExchanges) {
  for (int number = 0; number < 200; ++number) {
    if ((number + rank) % 17 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto received = exchange(communicator, {{(rank + number) % size, parcel_bytes(10, number)}});
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].bytes, parcel_bytes(10, number));
  }
}

TEST_F(SparseExchangeTest, RejectsInvalidReceiverOnAllRanks) {
  for (const int invalid : {-1, size, MPI_PROC_NULL}) {
    std::vector<Parcel> outgoing = {{0, parcel_bytes(200'000, rank)}};
    if (rank == size - 1) outgoing.push_back({invalid, {}});
    EXPECT_ERROR(exchange(communicator, std::move(outgoing)), usage,
                 fmt::format("invalid receiver of a parcel: rank {}; use 0 to {}", invalid, size - 1));
  }
  EXPECT_EQ(exchange(communicator, {{rank, parcel_bytes(5, 1)}}).size(), 1u);
}

}  // namespace
}  // namespace plimsoll::mpi
