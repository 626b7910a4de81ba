#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

void expect_possible(std::size_t piece_bytes) {
  if (piece_bytes > 0 && piece_bytes <= max_piece_bytes) return;
  throw support::usage_error(fmt::format("invalid size of message pieces: {} bytes", piece_bytes),
                             fmt::format("use 1 to {}", max_piece_bytes));
}

template <class Byte, class Transfer>
void in_pieces(std::span<Byte> bytes, std::size_t piece_bytes, const Transfer& transfer) {
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece_bytes) {
    const std::size_t size = std::min(piece_bytes, bytes.size() - begin);
    transfer(bytes.data() + begin, static_cast<int>(size));
  }
}

}  // namespace

void send(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
          std::size_t piece_bytes) {
  expect_possible(piece_bytes);
  const unsigned long long size = bytes.size();
  check(MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, to, tag, communicator.handle()), "MPI_Send");
  send_content(communicator, bytes, to, tag, piece_bytes);
}

std::vector<std::byte> receive(const Communicator& communicator, int from, int tag, std::size_t piece_bytes) {
  expect_possible(piece_bytes);
  unsigned long long size = 0;
  MPI_Status first;
  check(MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, from, tag, communicator.handle(), &first), "MPI_Recv");
  std::vector<std::byte> bytes(size);
  // Receive all pieces from the same sender, even if several ranks send at the same time to a receiver of
  // MPI_ANY_SOURCE.
  receive_content(communicator, bytes, first.MPI_SOURCE, first.MPI_TAG, piece_bytes);
  return bytes;
}

void send_content(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
                  std::size_t piece_bytes) {
  expect_possible(piece_bytes);
  in_pieces(bytes, piece_bytes, [&](const std::byte* piece, int count) {
    check(MPI_Send(piece, count, MPI_BYTE, to, tag, communicator.handle()), "MPI_Send");
  });
}

void receive_content(const Communicator& communicator, std::span<std::byte> bytes, int from, int tag,
                     std::size_t piece_bytes) {
  expect_possible(piece_bytes);
  in_pieces(bytes, piece_bytes, [&](std::byte* piece, int count) {
    check(MPI_Recv(piece, count, MPI_BYTE, from, tag, communicator.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
  });
}

void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root,
               std::size_t piece_bytes) {
  expect_possible(piece_bytes);
  in_pieces(bytes, piece_bytes, [&](std::byte* piece, int count) {
    check(MPI_Bcast(piece, count, MPI_BYTE, root, communicator.handle()), "MPI_Bcast");
  });
}

}  // namespace plimsoll::mpi
