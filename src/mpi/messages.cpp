#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/contract.hpp>
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

// A transfer is an offer (the number of bytes), an answer (whether the receiver takes them), and the bytes.
// Offers and answers may come late, because `root` serves one rank after the other. Users of send() and
// receive() choose smaller tags.
constexpr int offer_tag = 32'701;
constexpr int answer_tag = 32'702;
constexpr int content_tag = 32'703;

template <class Number>
Number receive_number(const Communicator& communicator, MPI_Datatype type, int from, int tag) {
  Number number = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(&number, 1, type, from, tag, communicator.handle(), &request), "MPI_Irecv");
  wait(request);
  return number;
}

/// Sends bytes if the receiver takes them.
void offer(const Communicator& communicator, std::span<const std::byte> bytes, int to) {
  const unsigned long long size = bytes.size();
  check(MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, to, offer_tag, communicator.handle()), "MPI_Send");
  if (receive_number<int>(communicator, MPI_INT, to, answer_tag) != 0)
    send_content(communicator, bytes, to, content_tag);
}

void answer(const Communicator& communicator, int is_taken, int to) {
  check(MPI_Send(&is_taken, 1, MPI_INT, to, answer_tag, communicator.handle()), "MPI_Send");
}

std::size_t receive_offer(const Communicator& communicator, int from) {
  return receive_number<unsigned long long>(communicator, MPI_UNSIGNED_LONG_LONG, from, offer_tag);
}

/// Replaces `bytes` by those of the offer. If memory is exhausted, declines the offer and throws.
void take_offer(const Communicator& communicator, int from, std::vector<std::byte>& bytes) {
  const std::size_t size = receive_offer(communicator, from);
  try {
    bytes.resize(size);
  } catch (...) {
    answer(communicator, 0, from);
    throw;
  }
  answer(communicator, 1, from);
  receive_content(communicator, bytes, from, content_tag);
}

void decline_offer(const Communicator& communicator, int from) {
  receive_offer(communicator, from);
  answer(communicator, 0, from);
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

void gather(const Communicator& communicator, std::span<const std::byte> mine, int root,
            const std::function<void(int rank, std::span<const std::byte> bytes)>& consume) {
  PLIMSOLL_EXPECT(root >= 0 && root < communicator.size());
  if (communicator.rank() != root) return offer(communicator, mine, root);
  std::exception_ptr failure;
  std::vector<std::byte> bytes;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (failure) {
      if (rank != root) decline_offer(communicator, rank);
      continue;
    }
    try {
      if (rank != root) take_offer(communicator, rank, bytes);
      consume(rank, rank == root ? mine : std::span<const std::byte>(bytes));
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::vector<std::byte> scatter(const Communicator& communicator,
                               const std::function<std::vector<std::byte>(int rank)>& part_of, int root) {
  PLIMSOLL_EXPECT(root >= 0 && root < communicator.size());
  std::vector<std::byte> mine;
  if (communicator.rank() != root) {
    take_offer(communicator, root, mine);
    return mine;
  }
  std::exception_ptr failure;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    std::vector<std::byte> part;
    try {
      if (!failure) part = part_of(rank);
    } catch (...) {
      failure = std::current_exception();
    }
    if (rank == root)
      mine = std::move(part);
    else
      offer(communicator, part, rank);
  }
  if (failure) std::rethrow_exception(failure);
  return mine;
}

}  // namespace plimsoll::mpi
