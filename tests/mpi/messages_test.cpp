#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

using Bytes = std::vector<std::byte>;

static_assert(is_sent_as_bytes<double>);
static_assert(!is_sent_as_bytes<const char*>);
static_assert(!is_sent_as_bytes<std::string_view>);
static_assert(!is_sent_as_bytes<std::span<const double>>);

Bytes bytes_of(std::size_t size, int seed) {
  Bytes bytes(size);
  for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<std::byte>(k * 7 + seed * 31 + 1);
  return bytes;
}

// Piece sizes and lengths that cover every boundary: 0 bytes, whole pieces, and one byte less or more.
constexpr std::size_t largest_piece = 5;
constexpr std::size_t largest_size = 4 * largest_piece + 1;

TEST(LargeMessages, ArriveInPiecesOfAnySize) {
  const Communicator communicator(MPI_COMM_WORLD);
  if (communicator.size() < 2) GTEST_SKIP() << "requires two ranks";
  const int left = (communicator.rank() + communicator.size() - 1) % communicator.size();
  const int right = (communicator.rank() + 1) % communicator.size();
  for (std::size_t piece = 1; piece <= largest_piece; ++piece) {
    for (std::size_t size = 0; size <= largest_size; ++size) {
      const Bytes mine = bytes_of(size, communicator.rank());
      Bytes received;
      // Rank 0 sends first and the others receive first, because send() may wait for the receiver.
      if (communicator.rank() == 0) send(communicator, mine, right, 3, piece);
      received = receive(communicator, left, 3, piece);
      if (communicator.rank() != 0) send(communicator, mine, right, 3, piece);
      EXPECT_EQ(received, bytes_of(size, left)) << size << " bytes in pieces of " << piece;
    }
  }
}

TEST(LargeMessages, AreBroadcastInPiecesOfAnySize) {
  const Communicator communicator(MPI_COMM_WORLD);
  for (std::size_t piece = 1; piece <= largest_piece; ++piece) {
    for (std::size_t size = 0; size <= largest_size; ++size) {
      const int root = static_cast<int>((piece + size) % communicator.size());
      Bytes bytes = communicator.rank() == root ? bytes_of(size, root) : Bytes(size);
      broadcast(communicator, bytes, root, piece);
      EXPECT_EQ(bytes, bytes_of(size, root)) << size << " bytes in pieces of " << piece;
    }
  }
}

TEST(LargeMessages, StaySeparateWithSameTag) {
  const Communicator communicator(MPI_COMM_WORLD);
  if (communicator.rank() == 0 && communicator.size() > 1) {
    for (int number = 0; number < 50; ++number) send(communicator, bytes_of(number, number), 1, 0, 4);
  } else if (communicator.rank() == 1) {
    for (int number = 0; number < 50; ++number) {
      EXPECT_EQ(receive(communicator, 0, 0, 4), bytes_of(number, number));
    }
  }
}

TEST(LargeMessages, StaySeparateFromOtherSenders) {
  const Communicator communicator(MPI_COMM_WORLD);
  constexpr int messages_each = 20;
  if (communicator.rank() > 0) {
    const Bytes mine(100, static_cast<std::byte>(communicator.rank()));
    for (int k = 0; k < messages_each; ++k) send(communicator, mine, 0, 5, 3);
    return;
  }
  std::vector<int> received(communicator.size(), 0);
  for (int k = 0; k < messages_each * (communicator.size() - 1); ++k) {
    const Bytes bytes = receive(communicator, MPI_ANY_SOURCE, MPI_ANY_TAG, 3);
    ASSERT_EQ(bytes.size(), 100u);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), bytes[0]), 100);
    ++received[static_cast<int>(bytes[0])];
  }
  for (int from = 1; from < communicator.size(); ++from) EXPECT_EQ(received[from], messages_each);
}

TEST(LargeMessages, RejectInvalidPieceSizes) {
  const Communicator communicator(MPI_COMM_WORLD);
  Bytes bytes(10);
  for (const std::size_t piece : {std::size_t{0}, max_piece_bytes + 1, std::size_t{1} << 31}) {
    const std::string text = "invalid size of message pieces: " + std::to_string(piece) + " bytes";
    EXPECT_ERROR(send(communicator, bytes, 0, 0, piece), usage, text);
    EXPECT_ERROR(receive(communicator, 0, 0, piece), usage, text);
    EXPECT_ERROR(broadcast(communicator, bytes, 0, piece), usage, text);
  }
}

}  // namespace

namespace {

using GatheredBytes = std::vector<std::byte>;

/// Returns the data of a rank: none, a few bytes or more than an MPI buffers, all of them different.
GatheredBytes data_of(int rank) {
  constexpr std::size_t sizes[] = {0, 3, 3'000'000, 1, 65'536};
  const std::size_t size = sizes[rank % 5] + static_cast<std::size_t>(rank);
  std::vector<std::uint64_t> words(size / sizeof(std::uint64_t) + 1);
  std::iota(words.begin(), words.end(), static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15);
  const auto bytes = std::as_bytes(std::span(words)).first(size);
  return {bytes.begin(), bytes.end()};
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
