// Runs one case per run, selected by the first argument. interposer_test.cpp contains the expected record of
// each case. Each count identifies sender, receiver and exchange.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "test_program.hpp"

namespace {

// Bytes to and from each of several peers, each in a separate part of the buffer.
struct Exchange {
  explicit Exchange(int send_peers, int recv_peers)
      : send_counts(send_peers), send_at(send_peers), recv_counts(recv_peers), recv_at(recv_peers) {
    for (int peer = 0; peer < send_peers; ++peer) send_at[peer] = peer * room;
    for (int peer = 0; peer < recv_peers; ++peer) recv_at[peer] = peer * room;
    sent.resize(room * (send_peers + 1));
    received.resize(room * (recv_peers + 1));
  }
  static constexpr int room = 64;
  std::vector<int> send_counts, send_at, recv_counts, recv_at;
  std::vector<char> sent, received;
};

// Sends `count` bytes from every rank to every rank.
struct Uniform : Exchange {
  Uniform(int peers, int count) : Exchange(peers, peers) {
    send_counts.assign(peers, count);
    recv_counts.assign(peers, count);
  }
};

void alltoallv(Exchange exchange, MPI_Comm comm) {
  MPI_Alltoallv(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), MPI_BYTE,
                exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(), MPI_BYTE,
                comm);
}

MPI_Request ialltoallv(Exchange& exchange, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallv(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), MPI_BYTE,
                 exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(), MPI_BYTE,
                 comm, &request);
  return request;
}

// Creates two duplicates in the same order on all ranks. Uses them in reverse order on odd ranks.
void order_of_use() {
  MPI_Comm first, second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  Uniform one(world_size, 1), two(world_size, 2);
  MPI_Request requests[2];
  if (world_rank % 2 == 0) {
    requests[0] = ialltoallv(one, first);
    requests[1] = ialltoallv(two, second);
  } else {
    requests[0] = ialltoallv(two, second);
    requests[1] = ialltoallv(one, first);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

// Creates nonblocking duplicates of two communicators, started in reverse order on odd ranks.
void order_of_copies() {
  MPI_Comm originals[2], copies[2];
  for (MPI_Comm& original : originals) MPI_Comm_dup(MPI_COMM_WORLD, &original);
  MPI_Request requests[2];
  for (int k = 0; k < 2; ++k) {
    const int which = (world_rank + k) % 2;
    MPI_Comm_idup(originals[which], &copies[which], &requests[which]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < 2; ++k) alltoallv(Uniform(world_size, k + 1), copies[k]);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  for (MPI_Comm& original : originals) MPI_Comm_free(&original);
}

// Creates communicators that mostly reuse the handle of a freed one, an unused communicator, and a
// nonblocking duplicate.
void handles_used_again() {
  for (int count = 1; count <= 3; ++count) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    alltoallv(Uniform(world_size, count), comm);
    MPI_Comm_free(&comm);
  }
  MPI_Comm unused, slow;
  MPI_Comm_dup(MPI_COMM_WORLD, &unused);
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &slow, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  alltoallv(Uniform(world_size, 4), slow);
  MPI_Comm_free(&slow);
  MPI_Comm_free(&unused);
  // A split communicator may also reuse the handle, with other members.
  MPI_Comm reversed_halves;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &reversed_halves);
  int half = 0;
  MPI_Comm_size(reversed_halves, &half);
  alltoallv(Uniform(half, 5), reversed_halves);
  MPI_Comm_free(&reversed_halves);
}

void persistent() {
  Uniform exchange(world_size, 3);
  MPI_Request requests[2];
  for (MPI_Request& request : requests) PERSISTENT(Alltoallv_init)
  (exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), MPI_BYTE,
   exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(), MPI_BYTE, MPI_COMM_WORLD,
   MPI_INFO_NULL, &request);
  for (int k = 0; k < 3; ++k) {
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Exchanges on grids. On a non-periodic row, rank r sends 10 + r bytes down and 20 + r bytes up. On a ring,
// each rank sends 1 and 2 bytes to the next rank.
void neighborhood() {
  const int wrap = 0;
  MPI_Comm row;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &wrap, 0, &row);
  Exchange exchange(2, 2);
  exchange.send_counts = {10 + world_rank, 20 + world_rank};
  exchange.recv_counts = {20 + world_rank - 1, 10 + world_rank + 1};
  MPI_Neighbor_alltoallv(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), MPI_BYTE,
                         exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(),
                         MPI_BYTE, row);
  MPI_Comm_free(&row);

  const int next = (world_rank + 1) % world_size;
  const int former = (world_rank + world_size - 1) % world_size;
  const int sources[] = {former, former};
  const int destinations[] = {next, next};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  exchange.send_counts = exchange.recv_counts = {1, 2};
  MPI_Request request;
  MPI_Ineighbor_alltoallv(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(),
                          MPI_BYTE, exchange.received.data(), exchange.recv_counts.data(),
                          exchange.recv_at.data(), MPI_BYTE, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&ring);
}

// Exchanges between rank 0 alone and all other ranks. Rank 0 sends 2 bytes to each of the other ranks and
// receives r bytes from rank r.
void inter_communicator() {
  const bool alone = world_rank == 0;
  MPI_Comm side, both;
  MPI_Comm_split(MPI_COMM_WORLD, alone, 0, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, alone ? 1 : 0, 7, &both);
  const int peers = alone ? world_size - 1 : 1;
  Exchange exchange(peers, peers);
  for (int peer = 0; peer < peers; ++peer) {
    exchange.send_counts[peer] = alone ? 2 : world_rank;
    exchange.recv_counts[peer] = alone ? peer + 1 : 2;
  }
  alltoallv(exchange, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&side);
}

// Makes in-place calls. Their insignificant arguments are invalid, so reading them would fail.
void in_place() {
  Uniform exchange(world_size, 6);
  auto* const nowhere = static_cast<const int*>(nullptr);
  MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, exchange.received.data(), 6, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Alltoallv(MPI_IN_PLACE, nowhere, nowhere, MPI_DATATYPE_NULL, exchange.received.data(),
                exchange.recv_counts.data(), exchange.recv_at.data(), MPI_BYTE, MPI_COMM_WORLD);
  const std::vector<MPI_Datatype> types(world_size, MPI_SHORT);
  MPI_Alltoallw(MPI_IN_PLACE, nowhere, nowhere, nullptr, exchange.received.data(),
                exchange.recv_counts.data(), exchange.recv_at.data(), types.data(), MPI_COMM_WORLD);
  for (int rank = 0; rank < world_size; ++rank) exchange.recv_counts[rank] = rank + 1;
  MPI_Allgatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, exchange.received.data(), exchange.recv_counts.data(),
                 exchange.recv_at.data(), MPI_BYTE, MPI_COMM_WORLD);
}

// Sends three vectors of two ints. Then sends a different type per peer: 1 int to rank 0, 1 char to others.
void derived_types() {
  MPI_Datatype pair, vector;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_vector(3, 1, 2, pair, &vector);
  MPI_Type_commit(&vector);
  Uniform exchange(world_size, 1);
  MPI_Alltoallv(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), MPI_BYTE,
                exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(), MPI_BYTE,
                MPI_COMM_WORLD);
  std::vector<char> sent(64 * world_size), received(64 * world_size);
  MPI_Alltoall(sent.data(), 1, vector, received.data(), 6, MPI_INT, MPI_COMM_WORLD);
  MPI_Type_free(&vector);
  MPI_Type_free(&pair);
  std::vector<MPI_Datatype> to(world_size, MPI_CHAR), from(world_size, world_rank == 0 ? MPI_INT : MPI_CHAR);
  to[0] = MPI_INT;
  if (world_size > 1) {  // a peer that receives nothing has no type
    const int last = world_size - 1;
    if (world_rank == 0) exchange.send_counts[last] = 0;
    if (world_rank == last) exchange.recv_counts[0] = 0;
  }
  MPI_Alltoallw(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), to.data(),
                exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(), from.data(),
                MPI_COMM_WORLD);
}

// Starts four threads, each with a separate communicator, which create and free other communicators.
void threads() {
  std::vector<MPI_Comm> comms(4);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([k, comm = comms[k]] {
      for (int call = 0; call < 40; ++call) {
        alltoallv(Uniform(world_size, k + 1), comm);
        MPI_Comm other;
        MPI_Comm_dup(MPI_COMM_SELF, &other);
        MPI_Comm_free(&other);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// Removes the logs while the program still runs.
void logs_removed() {
  alltoallv(Uniform(world_size, 1), MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) std::filesystem::remove_all(std::getenv("PLIMSOLL_PROFILER_FOLDER"));
}

// Creates "ready" in the directory PLIMSOLL_TEST_FOLDER between two calls, and continues as soon as "go"
// exists there.
void wait_between_calls() {
  const std::filesystem::path folder = std::getenv("PLIMSOLL_TEST_FOLDER");
  alltoallv(Uniform(world_size, 1), MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) std::filesystem::create_directory(folder / "ready");
  for (int k = 0; k < 3000 && !std::filesystem::exists(folder / "go"); ++k) usleep(10'000);
  alltoallv(Uniform(world_size, 2), MPI_COMM_WORLD);
}

// Leaves a child process of rank 0 that outlives the program.
void leave_child() {
  alltoallv(Uniform(world_size, 1), MPI_COMM_WORLD);
  if (world_rank != 0 || fork() != 0) return;
  for (int number = 0; number < 3; ++number) close(number);  // the launcher waits until these are closed
  sleep(10);
  _exit(0);
}

// Duplicates two communicators with the same members in one thread each. The order of the duplicates differs
// between ranks.
void threads_make_communicators() {
  MPI_Comm own[2];
  for (MPI_Comm& comm : own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; ++k)
    threads.emplace_back([k, comm = own[k]] {
      for (int call = 0; call < 20; ++call) {
        MPI_Comm other;
        MPI_Comm_dup(comm, &other);
        if (world_rank % 2 == k) usleep(500);
        alltoallv(Uniform(world_size, k + 1), other);
        MPI_Comm_free(&other);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : own) MPI_Comm_free(&comm);
}

// Creates children that call exit(), which runs the same exit handlers as in the parent.
void fork_children() {
  alltoallv(Uniform(world_size, 1), MPI_COMM_WORLD);
  for (int k = 0; k < 2; ++k) {
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    waitpid(child, nullptr, 0);
  }
  alltoallv(Uniform(world_size, 2), MPI_COMM_WORLD);
}

void pause_and_resume() {
  for (int call = 0; call < 5; ++call) {
    if (call == 1) MPI_Pcontrol(0);
    if (call == 3) MPI_Pcontrol(2);
    MPI_Pcontrol(-1);
    alltoallv(Uniform(world_size, 1), MPI_COMM_WORLD);
  }
}

void pause_on_one_rank() {
  if (world_rank == 1) MPI_Pcontrol(0);
  alltoallv(Uniform(world_size, 1), MPI_COMM_WORLD);
}

// Makes calls that only MPI handles: erroneous calls, and collectives with processes outside MPI_COMM_WORLD.
void errors_returned() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Uniform exchange(world_size, 1);
  if (MPI_Alltoallv(exchange.sent.data(), exchange.send_counts.data(), exchange.send_at.data(), MPI_BYTE,
                    exchange.received.data(), exchange.recv_counts.data(), exchange.recv_at.data(), MPI_BYTE,
                    MPI_COMM_NULL) == MPI_SUCCESS)
    std::exit(4);
  alltoallv(exchange, MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4
void large_counts() {
  std::vector<MPI_Count> counts(world_size, 5);
  std::vector<MPI_Aint> at(world_size);
  std::vector<char> sent(5), received(5 * world_size);
  for (int peer = 0; peer < world_size; ++peer) at[peer] = 5 * peer;
  MPI_Allgatherv_c(sent.data(), 5, MPI_BYTE, received.data(), counts.data(), at.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
}
#else
void large_counts() {
  std::exit(77);
}
#endif

void write_nothing() {}

}  // namespace

int main(int argc, char** argv) {
  const Cases cases = {{"order_of_use", order_of_use},
                       {"order_of_copies", order_of_copies},
                       {"handles_used_again", handles_used_again},
                       {"persistent", persistent},
                       {"neighborhood", neighborhood},
                       {"inter_communicator", inter_communicator},
                       {"in_place", in_place},
                       {"derived_types", derived_types},
                       {"threads", threads},
                       {"logs_removed", logs_removed},
                       {"wait_between_calls", wait_between_calls},
                       {"leave_child", leave_child},
                       {"threads_make_communicators", threads_make_communicators},
                       {"fork", fork_children},
                       {"pause_and_resume", pause_and_resume},
                       {"pause_on_one_rank", pause_on_one_rank},
                       {"errors_returned", errors_returned},
                       {"large_counts", large_counts},
                       {"nothing", write_nothing}};
  const std::string name = argc > 1 ? argv[1] : "";
  int provided = 0;
  const int wanted = name.starts_with("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  if (provided < wanted) return 77;
  find_ranks();
  cases.at(name)();
  MPI_Finalize();
}
