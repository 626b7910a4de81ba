#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

using Bytes = std::vector<std::byte>;

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
}  // namespace plimsoll::mpi
