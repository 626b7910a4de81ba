// Makes calls in which ranks differ. irregular_calls_test.cpp contains the expected record of each case,
// which the first argument selects.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "test_program.hpp"

namespace {

/// Sends `send_count` bytes to each peer, and receives `recv_counts`.
int alltoallv(int send_count, const std::vector<int>& recv_counts, MPI_Comm comm) {
  constexpr int room = 64;
  const std::vector<int> send_counts(recv_counts.size(), send_count);
  std::vector<int> at;
  for (std::size_t peer = 0; peer < recv_counts.size(); ++peer) at.push_back(static_cast<int>(peer) * room);
  std::vector<char> sent(room * recv_counts.size()), received(room * recv_counts.size());
  return MPI_Alltoallv(sent.data(), send_counts.data(), at.data(), MPI_BYTE, received.data(),
                       recv_counts.data(), at.data(), MPI_BYTE, comm);
}

int uniform(int count, MPI_Comm comm) {
  return alltoallv(count, std::vector<int>(static_cast<std::size_t>(world_size), count), comm);
}

/// The upper half of the ranks only receives messages, as the ranks for long-range forces of some codes.
void half_of_ranks() {
  const int half = world_size / 2;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank < half, 0, &comm);
  if (world_rank < half) {
    for (int k = 0; k < 3; ++k) alltoallv(5, std::vector<int>(static_cast<std::size_t>(half), 5), comm);
    MPI_Send(&half, 1, MPI_INT, world_rank + half, 0, MPI_COMM_WORLD);
  } else {
    int received = 0;
    MPI_Recv(&received, 1, MPI_INT, world_rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&comm);
}

/// In call k, rank k sends 8 bytes to every rank, and all others send 1 byte.
void rotating() {
  for (int k = 0; k < world_size; ++k) {
    std::vector<int> recv_counts(static_cast<std::size_t>(world_size), 1);
    recv_counts[static_cast<std::size_t>(k)] = 8;
    alltoallv(k == world_rank ? 8 : 1, recv_counts, MPI_COMM_WORLD);
  }
}

/// Each rank sends 8 bytes to the next rank and 16 bytes to the previous one, in three equal calls.
void ring() {
  const auto size = static_cast<std::size_t>(world_size);
  const std::size_t next = static_cast<std::size_t>(world_rank + 1) % size;
  const std::size_t previous = static_cast<std::size_t>(world_rank + world_size - 1) % size;
  std::vector<int> send_counts(size), recv_counts(size), send_at(size), recv_at(size);
  send_counts[next] = recv_counts[previous] = 8;
  send_counts[previous] = recv_counts[next] = 16;
  send_at[previous] = recv_at[next] = 8;
  std::vector<char> sent(24), received(24);
  for (int k = 0; k < 3; ++k)
    MPI_Alltoallv(sent.data(), send_counts.data(), send_at.data(), MPI_BYTE, received.data(),
                  recv_counts.data(), recv_at.data(), MPI_BYTE, MPI_COMM_WORLD);
}

/// MPI refuses a call of these ranks, which then call with the same counts as all others. Rank 0 counts up in
/// each call, so that mismatched calls would be inconsistent.
void fail_on(const std::vector<int>& ranks) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 1; k <= 3; ++k) {
    const bool fails = std::find(ranks.begin(), ranks.end(), world_rank) != ranks.end();
    if (fails && uniform(-1, MPI_COMM_WORLD) == MPI_SUCCESS) std::exit(4);
    if (uniform(k, MPI_COMM_WORLD) != MPI_SUCCESS) std::exit(5);
  }
}

void failed_on_one_rank() {
  fail_on({1});
}

void failed_on_all_ranks() {
  fail_on({0, 1, 2, 3});
}

/// MPI refuses calls without communicator, datatype or counts. MPICH does not check the counts.
void failed_for_other_reasons() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (uniform(1, MPI_COMM_NULL) == MPI_SUCCESS) std::exit(4);
  std::vector<int> counts(static_cast<std::size_t>(world_size), 1), at(counts.size());
  std::vector<char> sent(counts.size()), received(counts.size());
  if (MPI_Alltoallv(sent.data(), counts.data(), at.data(), MPI_DATATYPE_NULL, received.data(), counts.data(),
                    at.data(), MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS)
    std::exit(5);
#if defined(OPEN_MPI)
  const int* const no_counts = nullptr;
#else
  const std::vector<int> below_zero(counts.size(), -1);
  const int* const no_counts = below_zero.data();
#endif
  if (MPI_Alltoallv(sent.data(), no_counts, at.data(), MPI_BYTE, received.data(), counts.data(), at.data(),
                    MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS)
    std::exit(6);
  uniform(2, MPI_COMM_WORLD);
}

/// Rank 1 receives less than rank 0 sends: its call fails after it took part.
void truncated() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<int> recv_counts(static_cast<std::size_t>(world_size), 8);
  if (world_rank == 1) recv_counts[0] = 1;
  alltoallv(8, recv_counts, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  uniform(2, MPI_COMM_WORLD);
}

/// Rank 1 receives less from itself than it sends to itself. Open MPI refuses its call; MPICH exchanges data
/// first.
void truncated_by_itself() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<int> recv_counts(static_cast<std::size_t>(world_size), 8);
  if (world_rank == 1) recv_counts[1] = 1;
  alltoallv(8, recv_counts, MPI_COMM_WORLD);
#if defined(OPEN_MPI)
  if (world_rank == 1) uniform(8, MPI_COMM_WORLD);
#endif
  uniform(2, MPI_COMM_WORLD);
}

/// Even and odd ranks exchange data: each rank sends 1 byte more than its number to each rank of the other
/// group.
void inter_communicator() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  const int parity = world_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, parity, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - parity, 3, &both);
  std::vector<int> recv_counts;
  for (int peer = 1 - parity; peer < world_size; peer += 2) recv_counts.push_back(peer + 1);
  alltoallv(world_rank + 1, recv_counts, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

/// Rank 0 exchanges data with the group of all other ranks: it sends 5 bytes to each of them, and receives 2
/// bytes from each.
void groups_of_different_sizes() {
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  const bool is_alone = world_rank == 0;
  MPI_Comm_split(MPI_COMM_WORLD, is_alone ? 0 : 1, 0, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, is_alone ? 1 : 0, 3, &both);
  const auto peers = static_cast<std::size_t>(is_alone ? world_size - 1 : 1);
  const int sends = is_alone ? 5 : 2;
  const int receives = is_alone ? 2 : 5;
  std::vector<char> sent(5 * peers), received(5 * peers);
  MPI_Alltoall(sent.data(), sends, MPI_BYTE, received.data(), receives, MPI_BYTE, both);
  alltoallv(sends, std::vector<int>(peers, receives), both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
}

}  // namespace

int main(int argc, char** argv) {
  run_case(argc, argv,
           {{"half_of_ranks", half_of_ranks},
            {"rotating", rotating},
            {"ring", ring},
            {"failed_on_one_rank", failed_on_one_rank},
            {"failed_on_all_ranks", failed_on_all_ranks},
            {"failed_for_other_reasons", failed_for_other_reasons},
            {"truncated", truncated},
            {"truncated_by_itself", truncated_by_itself},
            {"inter_communicator", inter_communicator},
            {"groups_of_different_sizes", groups_of_different_sizes}});
}
