// Mixes every profiled operation with other collectives and point-to-point messages, and checks each received
// number. Its last line is a hash of all received numbers, which is equal in every run with the same number
// of ranks.
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Ints = std::vector<int>;

int world_rank = 0;
std::uint64_t hash = 14695981039346656037U;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "mixed_calls: rank %d has a wrong result: %s\n", world_rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Checks and hashes every received number.
void expect(int received, int expected, const char* what) {
  hash = (hash ^ static_cast<std::uint32_t>(received)) * 1099511628211U;
  check(received == expected, what);
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int value(int from, int to, int k) {
  return 1000000 * from + 1000 * to + k;
}

void wait(MPI_Request& request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The numbers of one round: rank `from` sends `count(from, to)` numbers value(from, to, k) to rank `to`.
class Pattern {
 public:
  using Count = std::function<int(int, int)>;

  Pattern(MPI_Comm comm, const Count& count) : Pattern(rank_in(comm), size_of(comm), count) {}
  Pattern(int rank, int peers, const Count& count) : rank_(rank) {
    int sent = 0;
    int received = 0;
    for (int peer = 0; peer < peers; ++peer) {
      send_counts.push_back(count(rank, peer));
      send_at.push_back(sent);
      sent += send_counts.back();
      recv_counts.push_back(count(peer, rank));
      recv_at.push_back(received);
      received += recv_counts.back();
      for (int k = 0; k < send_counts.back(); ++k) send.push_back(value(rank, peer, k));
    }
    send.push_back(-1);
    recv.assign(static_cast<std::size_t>(received) + 1, -1);
  }

  void verify(const char* what) const {
    for (std::size_t peer = 0; peer < recv_counts.size(); ++peer)
      for (int k = 0; k < recv_counts[peer]; ++k)
        expect(recv[recv_at[peer] + k], value(static_cast<int>(peer), rank_, k), what);
    check(recv.back() == -1, "beyond the end");
  }

  Ints send_counts, send_at, recv_counts, recv_at, send, recv;

 private:
  int rank_;
};

void alltoallv(MPI_Comm comm, const Pattern::Count& count) {
  Pattern pattern(comm, count);
  MPI_Alltoallv(pattern.send.data(), pattern.send_counts.data(), pattern.send_at.data(), MPI_INT,
                pattern.recv.data(), pattern.recv_counts.data(), pattern.recv_at.data(), MPI_INT, comm);
  pattern.verify("Alltoallv");
}

// Calls other collectives while the operation is active.
void nonblocking(MPI_Comm comm, const Pattern::Count& count) {
  Pattern pattern(comm, count);
  Pattern other(comm, [](int, int) { return 1; });
  MPI_Request requests[2];
  MPI_Ialltoallv(pattern.send.data(), pattern.send_counts.data(), pattern.send_at.data(), MPI_INT,
                 pattern.recv.data(), pattern.recv_counts.data(), pattern.recv_at.data(), MPI_INT, comm,
                 &requests[0]);
  MPI_Ialltoall(other.send.data(), 1, MPI_INT, other.recv.data(), 1, MPI_INT, comm, &requests[1]);
  int number = rank_in(comm) == 0 ? 77 : 0;
  MPI_Bcast(&number, 1, MPI_INT, 0, comm);
  expect(number, 77, "Bcast");
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  pattern.verify("Ialltoallv");
  other.verify("Ialltoall");
}

// Sends every second integer, with a non-contiguous type and with counts and displacements in bytes.
void derived_types(MPI_Comm comm) {
  const int rank = rank_in(comm);
  const int size = size_of(comm);
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  Ints send(4 * size), recv(4 * size, -1), counts(size, 1), at(size);
  std::vector<MPI_Datatype> types(size, pair);
  for (int peer = 0; peer < size; ++peer) {
    at[peer] = static_cast<int>(4 * sizeof(int)) * peer;
    for (int k = 0; k < 4; ++k) send[4 * peer + k] = value(rank, peer, k);
  }
  const auto verify = [&](const char* what) {
    for (int peer = 0; peer < size; ++peer)
      for (int k = 0; k < 4; ++k) {
        expect(recv[4 * peer + k], k % 2 == 0 && k < 3 ? value(peer, rank, k) : -1, what);
        recv[4 * peer + k] = -1;
      }
  };
  MPI_Alltoallw(send.data(), counts.data(), at.data(), types.data(), recv.data(), counts.data(), at.data(),
                types.data(), comm);
  verify("Alltoallw");
  MPI_Request request;
  MPI_Ialltoallw(send.data(), counts.data(), at.data(), types.data(), recv.data(), counts.data(), at.data(),
                 types.data(), comm, &request);
  MPI_Type_free(&pair);  // MPI keeps the type until the call completes
  wait(request);
  verify("Ialltoallw");
}

void in_place(MPI_Comm comm) {
  const int rank = rank_in(comm);
  const int size = size_of(comm);
  Pattern pattern(comm, [](int from, int to) { return (from + to) % 3; });  // the pattern must be symmetric
  pattern.recv = pattern.send;
  MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, pattern.recv.data(),
                pattern.recv_counts.data(), pattern.recv_at.data(), MPI_INT, comm);
  pattern.verify("Alltoallv in place");
  Ints numbers(size);
  for (int peer = 0; peer < size; ++peer) numbers[peer] = value(rank, peer, 5);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers.data(), 1, MPI_INT, comm);
  for (int peer = 0; peer < size; ++peer) expect(numbers[peer], value(peer, rank, 5), "Alltoall in place");
  Ints counts(size, 1), at(size);
  std::iota(at.begin(), at.end(), 0);
  numbers[rank] = 7 * rank;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers.data(), counts.data(), at.data(), MPI_INT, comm);
  for (int peer = 0; peer < size; ++peer) expect(numbers[peer], 7 * peer, "Allgatherv in place");
}

void allgatherv(MPI_Comm comm, int round) {
  const int rank = rank_in(comm);
  const int size = size_of(comm);
  Ints counts, at, send;
  int total = 0;
  for (int peer = 0; peer < size; ++peer) {
    counts.push_back((peer + round) % 3);
    at.push_back(total);
    total += counts.back();
  }
  for (int k = 0; k <= counts[rank]; ++k) send.push_back(value(rank, 0, k));
  const auto verify = [&](const Ints& recv, const char* what) {
    for (int peer = 0; peer < size; ++peer)
      for (int k = 0; k < counts[peer]; ++k) expect(recv[at[peer] + k], value(peer, 0, k), what);
  };
  Ints recv(total + 1), later(total + 1);
  MPI_Request request;
  MPI_Iallgatherv(send.data(), counts[rank], MPI_INT, later.data(), counts.data(), at.data(), MPI_INT, comm,
                  &request);
  MPI_Allgatherv(send.data(), counts[rank], MPI_INT, recv.data(), counts.data(), at.data(), MPI_INT, comm);
  wait(request);
  verify(recv, "Allgatherv");
  verify(later, "Iallgatherv");
}

// Exchanges on a ring. With two ranks, both neighbours are the same rank.
void neighborhood() {
  int sizes[1] = {size_of(MPI_COMM_WORLD)};
  const int periodic[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periodic, 0, &ring);
  int left = 0;
  int right = 0;
  MPI_Cart_shift(ring, 0, 1, &left, &right);
  const int rank = rank_in(ring);
  // The k-th number is sent to the k-th neighbour. A rank receives the second number of its left neighbour
  // and the first one of its right neighbour.
  const Ints send = {value(rank, 0, 0), value(rank, 1, 0)};
  const Ints counts = {1, 1}, at = {0, 1};
  const bool two = sizes[0] == 2;  // MPI may then match the two messages either way
  const auto verify = [&](Ints& recv, const char* what) {
    if (two && recv[0] != value(left, 0, 0)) std::swap(recv[0], recv[1]);
    expect(recv[0], value(left, two ? 0 : 1, 0), what);
    expect(recv[1], value(right, two ? 1 : 0, 0), what);
    recv = {-1, -1};
  };
  Ints recv = {-1, -1};
  MPI_Neighbor_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, ring);
  verify(recv, "Neighbor_alltoall");
  MPI_Neighbor_alltoallv(send.data(), counts.data(), at.data(), MPI_INT, recv.data(), counts.data(),
                         at.data(), MPI_INT, ring);
  verify(recv, "Neighbor_alltoallv");
  const MPI_Aint byte_at[2] = {0, sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request request;
  MPI_Ineighbor_alltoallw(send.data(), counts.data(), byte_at, types, recv.data(), counts.data(), byte_at,
                          types, ring, &request);
  wait(request);
  verify(recv, "Ineighbor_alltoallw");
  MPI_Neighbor_allgatherv(send.data(), 1, MPI_INT, recv.data(), counts.data(), at.data(), MPI_INT, ring);
  expect(recv[0], value(left, 0, 0), "Neighbor_allgatherv");
  expect(recv[1], value(right, 0, 0), "Neighbor_allgatherv");
  MPI_Comm_free(&ring);
}

// Sends from rank 0 to all other ranks, which have no targets. The send and receive sides have different
// lengths.
void graph() {
  const int rank = world_rank;
  const int others = size_of(MPI_COMM_WORLD) - 1;
  Ints targets(rank == 0 ? others : 0);
  std::iota(targets.begin(), targets.end(), 1);
  const Ints sources(rank == 0 ? 0 : 1, 0);
  MPI_Comm star;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(targets.size()), targets.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
  Ints counts, at, send = {-1};
  for (const int target : targets) {
    at.push_back(static_cast<int>(send.size()));
    counts.push_back(target);
    for (int k = 0; k < target; ++k) send.push_back(value(0, target, k));
  }
  Ints recv(rank + 1, -1);
  const Ints recv_counts(sources.size(), rank), recv_at(sources.size(), 0);
  MPI_Neighbor_alltoallv(send.data(), counts.data(), at.data(), MPI_INT, recv.data(), recv_counts.data(),
                         recv_at.data(), MPI_INT, star);
  for (int k = 0; k < rank; ++k) expect(recv[k], value(0, rank, k), "Neighbor_alltoallv on a star");
  MPI_Comm_free(&star);
}

// Exchanges between even and odd ranks.
void inter_communicator() {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half);
  MPI_Comm other;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world_rank % 2, 3, &other);
  int peers = 0;
  MPI_Comm_remote_size(other, &peers);
  Pattern pattern(rank_in(other), peers, [](int from, int to) { return (from + to) % 3; });
  MPI_Alltoallv(pattern.send.data(), pattern.send_counts.data(), pattern.send_at.data(), MPI_INT,
                pattern.recv.data(), pattern.recv_counts.data(), pattern.recv_at.data(), MPI_INT, other);
  pattern.verify("Alltoallv between groups");
  MPI_Comm_free(&other);
  MPI_Comm_free(&half);
}

void persistent(MPI_Comm comm, const Pattern::Count& count) {
#if MPI_VERSION >= 4
  const auto alltoallv_init = MPI_Alltoallv_init;
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
  const auto alltoallv_init = MPIX_Alltoallv_init;
#endif
#if MPI_VERSION >= 4 || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
  Pattern pattern(comm, count);
  MPI_Request request;
  alltoallv_init(pattern.send.data(), pattern.send_counts.data(), pattern.send_at.data(), MPI_INT,
                 pattern.recv.data(), pattern.recv_counts.data(), pattern.recv_at.data(), MPI_INT, comm,
                 MPI_INFO_NULL, &request);
  for (int start = 0; start < 3; ++start) {
    if (start == 1)
      MPI_Startall(1, &request);
    else
      MPI_Start(&request);
    wait(request);
    pattern.verify("Alltoallv_init");
    pattern.recv.assign(pattern.recv.size(), -1);
  }
  MPI_Request_free(&request);
#else
  alltoallv(comm, count);
#endif
}

void large_counts(MPI_Comm comm, const Pattern::Count& count) {
#if MPI_VERSION >= 4
  Pattern pattern(comm, count);
  const std::vector<MPI_Count> send_counts(pattern.send_counts.begin(), pattern.send_counts.end());
  const std::vector<MPI_Count> recv_counts(pattern.recv_counts.begin(), pattern.recv_counts.end());
  const std::vector<MPI_Aint> send_at(pattern.send_at.begin(), pattern.send_at.end());
  const std::vector<MPI_Aint> recv_at(pattern.recv_at.begin(), pattern.recv_at.end());
  MPI_Alltoallv_c(pattern.send.data(), send_counts.data(), send_at.data(), MPI_INT, pattern.recv.data(),
                  recv_counts.data(), recv_at.data(), MPI_INT, comm);
  pattern.verify("Alltoallv_c");
#else
  alltoallv(comm, count);
#endif
}

// Keeps a receive from any source with any tag open while `profiled` runs. Only the message of this function
// may match it.
void open_receive(const std::function<void()>& profiled) {
  const int size = size_of(MPI_COMM_WORLD);
  const int left = (world_rank + size - 1) % size;
  const int right = (world_rank + 1) % size;
  int received = -1;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  profiled();
  const int sent = value(world_rank, right, 9);
  MPI_Send(&sent, 1, MPI_INT, right, 11, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Wait(&request, &status);
  expect(received, value(left, world_rank, 9), "point to point");
  expect(status.MPI_SOURCE, left, "source");
  expect(status.MPI_TAG, 11, "tag");
}

void gather(MPI_Comm comm) {
  const int mine = 1000 + rank_in(comm);
  Ints all(rank_in(comm) == 0 ? size_of(comm) : 0);
  MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, comm);
  for (std::size_t k = 0; k < all.size(); ++k) expect(all[k], 1000 + static_cast<int>(k), "Gather");
}

void reductions(MPI_Comm comm) {
  const int rank = rank_in(comm);
  const int size = size_of(comm);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum, size * (size - 1) / 2, "Allreduce");
  MPI_Barrier(comm);
  MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum, rank * (rank + 1) / 2, "Scan");
}

void round_of(int round) {
  const Pattern::Count count = [round](int from, int to) { return (3 * from + 5 * to + round) % 4; };
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm part;
  MPI_Comm_split(copy, world_rank % 2, -world_rank, &part);
  gather(MPI_COMM_WORLD);
  open_receive([&] { alltoallv(MPI_COMM_WORLD, count); });
  gather(MPI_COMM_WORLD);
  alltoallv(part, count);
  open_receive([&] { nonblocking(copy, count); });
  gather(part);
  derived_types(copy);
  MPI_Comm_free(&copy);
  in_place(part);
  MPI_Comm_free(&part);
  reductions(MPI_COMM_WORLD);
  open_receive([&] { allgatherv(MPI_COMM_WORLD, round); });
  neighborhood();
  graph();
  inter_communicator();
  gather(MPI_COMM_WORLD);
  open_receive([&] { persistent(MPI_COMM_WORLD, count); });
  large_counts(MPI_COMM_WORLD, count);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world_rank = rank_in(MPI_COMM_WORLD);
  gather(MPI_COMM_WORLD);
  for (int round = 0; round < 5; ++round) {
    if (round == 3) MPI_Pcontrol(0);
    if (round == 4) MPI_Pcontrol(1);
    round_of(round);
  }
  const int size = size_of(MPI_COMM_WORLD);
  std::vector<std::uint64_t> hashes(world_rank == 0 ? size : 0);
  MPI_Gather(&hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (std::size_t k = 0; k < hashes.size(); ++k)
    std::printf("rank %zu received %016jx\n", k, static_cast<std::uintmax_t>(hashes[k]));
  std::fflush(stdout);
  MPI_Finalize();
}
