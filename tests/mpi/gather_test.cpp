#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <new>
#include <numeric>
#include <stdexcept>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

using GatheredBytes = std::vector<std::byte>;

/// Returns the data of a rank: none, a few bytes or more than an MPI buffers, all of them different.
GatheredBytes data_of(int rank) {
  constexpr std::size_t sizes[] = {0, 3, 3'000'000, 1, 65'536};
  GatheredBytes bytes(sizes[rank % 5] + static_cast<std::size_t>(rank));
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::byte>(k * 13 + k / 256 + rank);
  return bytes;
}

class Gather : public ::testing::Test {
 protected:
  void TearDown() override { communicator.barrier(); }

  const Communicator communicator{MPI_COMM_WORLD};
  const int rank = communicator.rank();
  const int size = communicator.size();
};

TEST_F(Gather, PassesDataOfEachRankInOrder) {
  for (int root = 0; root < size; ++root) {
    int consumed = 0;
    gather(communicator, data_of(rank), root, [&](int from, std::span<const std::byte> bytes) {
      EXPECT_EQ(from, consumed++);
      const GatheredBytes expected = data_of(from);
      EXPECT_TRUE(std::ranges::equal(bytes, expected)) << "from rank " << from;
    });
    EXPECT_EQ(consumed, rank == root ? size : 0);
  }
}

TEST_F(Gather, ReturnsOnAllRanksIfConsumerThrows) {
  for (int failing = 0; failing < size; ++failing) {
    int consumed = 0;
    const auto run = [&] {
      gather(communicator, data_of(rank), size - 1, [&](int from, std::span<const std::byte>) {
        if (from == failing) throw std::runtime_error("cannot consume");
        ++consumed;
      });
    };
    if (rank == size - 1) {
      EXPECT_THROW(run(), std::runtime_error);
      EXPECT_EQ(consumed, failing);
    } else {
      EXPECT_NO_THROW(run());
    }
  }
}

TEST_F(Gather, LetsCallerAgreeOnError) {
  EXPECT_ERROR(agreed(communicator,
                      [&] {
                        gather(communicator, data_of(rank), 0,
                               [](int, std::span<const std::byte>) { throw std::bad_alloc(); });
                      }),
               system, "out of memory");
}

TEST_F(Gather, ScattersPartOfEachRank) {
  for (int root = 0; root < size; ++root) {
    int asked = 0;
    const GatheredBytes mine = scatter(
        communicator,
        [&](int to) {
          EXPECT_EQ(to, asked++);
          return data_of(to);
        },
        root);
    EXPECT_EQ(mine, data_of(rank));
    EXPECT_EQ(asked, rank == root ? size : 0);
  }
}

TEST_F(Gather, ReturnsOnAllRanksIfPartThrows) {
  for (int failing = 0; failing < size; ++failing) {
    GatheredBytes mine;
    const auto run = [&] {
      mine = scatter(
          communicator,
          [&](int to) { return to == failing ? throw std::runtime_error("no part") : data_of(to); }, 0);
    };
    if (rank == 0) {
      EXPECT_THROW(run(), std::runtime_error);
      continue;
    }
    EXPECT_NO_THROW(run());
    EXPECT_EQ(mine, rank < failing ? data_of(rank) : GatheredBytes());
  }
}

TEST_F(Gather, DoesNotMixConsecutiveCalls) {
  for (int number = 0; number < 50; ++number) {
    const int root = number % size;
    const std::byte mark{static_cast<unsigned char>(number)};
    const GatheredBytes mine(static_cast<std::size_t>(number * (rank + 1)), mark);
    gather(communicator, mine, root, [&](int from, std::span<const std::byte> bytes) {
      EXPECT_EQ(bytes.size(), static_cast<std::size_t>(number * (from + 1)));
      EXPECT_EQ(std::ranges::count(bytes, mark), std::ssize(bytes));
    });
    EXPECT_EQ(scatter(
                  communicator, [&](int) { return GatheredBytes(1, mark); }, root),
              GatheredBytes(1, mark));
  }
}

}  // namespace
}  // namespace plimsoll::mpi
