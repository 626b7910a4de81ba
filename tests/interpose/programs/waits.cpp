// Runs collectives in which the time that ranks wait for each other is known. waits_test.cpp contains the
// expected times of each case, which the first argument selects.
#include <unistd.h>

#include <vector>

#include "completing_functions.hpp"
#include "test_program.hpp"

namespace {

constexpr unsigned long_us = 600'000;
constexpr unsigned short_us = 200'000;

/// One byte to and from each of several peers.
struct Bytes {
  explicit Bytes(int peers) : counts(peers, 1), at(peers), sent(peers), received(peers) {
    for (int peer = 0; peer < peers; ++peer) at[peer] = peer;
  }
  std::vector<int> counts, at;
  std::vector<char> sent, received;
};

MPI_Request start(Bytes& bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallv(bytes.sent.data(), bytes.counts.data(), bytes.at.data(), MPI_BYTE, bytes.received.data(),
                 bytes.counts.data(), bytes.at.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
  return request;
}

/// Lets the last rank enter the next call late.
void be_late(unsigned time_us) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == world_size - 1) usleep(time_us);
}

/// Rank 1 is late, but rank 0 computes until rank 1 has entered the call.
void compute_until_all_have_entered() {
  Bytes bytes(world_size);
  be_late(long_us);
  MPI_Request request = start(bytes);
  if (world_rank == 0)
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Rank 0 waits for rank 1 in a different function in each call.
void wait_in_every_function() {
  Bytes bytes(world_size);
  for (const CompletingFunction complete : completing_functions()) {
    be_late(short_us);
    MPI_Request request = start(bytes);
    complete(1, &request);
  }
}

/// Rank 0 waits for rank 1 in both starts of a persistent collective.
void wait_for_persistent() {
  Bytes bytes(world_size);
  MPI_Request request = MPI_REQUEST_NULL;
  PERSISTENT(Alltoallv_init)
  (bytes.sent.data(), bytes.counts.data(), bytes.at.data(), MPI_BYTE, bytes.received.data(),
   bytes.counts.data(), bytes.at.data(), MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int k = 0; k < 2; ++k) {
    be_late(short_us);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

/// Two collectives share one wait, next to a message.
void wait_for_two_at_once() {
  Bytes one(world_size), other(world_size);
  be_late(short_us);
  MPI_Request requests[3] = {start(one), MPI_REQUEST_NULL, start(other)};
  const int peer = 1 - world_rank;
  MPI_Irecv(nullptr, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(nullptr, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/// The last rank of a ring enters late. Only its neighbours need it.
void ring() {
  const int wraps = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &wraps, 0, &comm);
  Bytes bytes(2);
  be_late(long_us);
  MPI_Neighbor_alltoallv(bytes.sent.data(), bytes.counts.data(), bytes.at.data(), MPI_BYTE,
                         bytes.received.data(), bytes.counts.data(), bytes.at.data(), MPI_BYTE, comm);
  be_late(long_us);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoallv(bytes.sent.data(), bytes.counts.data(), bytes.at.data(), MPI_BYTE,
                          bytes.received.data(), bytes.counts.data(), bytes.at.data(), MPI_BYTE, comm,
                          &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  run_case(argc, argv,
           {{"compute_until_all_have_entered", compute_until_all_have_entered},
            {"wait_in_every_function", wait_in_every_function},
            {"wait_for_persistent", wait_for_persistent},
            {"wait_for_two_at_once", wait_for_two_at_once},
            {"ring", ring}});
}
