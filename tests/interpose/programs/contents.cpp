// Exchanges the same data in each run, with one call of each operation per step. Arguments:
//   STEPS            number of steps
//   plain|gaps       layout of the data in memory: adjacent, or in types with gaps, in another order
//   STEP OPERATION.. (optional) rank 1 changes one byte of its data for the last rank in these calls
// content_hash_test.cpp compares the hashes of such runs.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "test_program.hpp"

namespace {

bool with_gaps = false;
std::set<std::string> changed_operations;
int changed_step = -1;
MPI_Datatype spaced_double = MPI_DATATYPE_NULL;  // a double, then a gap of the same size

/// Returns the k-th number that this rank sends to a peer.
double number(const std::string& operation, int step, int peer, int k) {
  double value = 1e6 * step + 1e4 * world_rank + 1e2 * peer + k;
  if (changed_operations.contains(operation) && step == changed_step && world_rank == 1 &&
      peer == world_size - 1 && k == 0)
    reinterpret_cast<unsigned char*>(&value)[0] ^= 1;
  return value;
}

/// Numbers to or from each peer.
struct Buffer {
  /// `in_order`: whether the parts of peers must be adjacent and in order of the peers.
  explicit Buffer(std::vector<int> counts_of_peers, bool in_order = false)
      : counts(std::move(counts_of_peers)), at(counts.size()) {
    const bool reversed = with_gaps && !in_order;
    int end = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const std::size_t peer = reversed ? counts.size() - 1 - k : k;
      at[peer] = end;
      end += counts[peer] + (reversed ? 1 : 0);
    }
    // Gaps have other contents in each run.
    memory.assign(static_cast<std::size_t>(stride * (end + 1)), with_gaps ? getpid() : 0);
  }
  double& element(std::size_t peer, int k) { return memory[stride * (at[peer] + k)]; }
  void fill(const std::string& operation, int step) {
    for (std::size_t peer = 0; peer < counts.size(); ++peer)
      for (int k = 0; k < counts[peer]; ++k)
        element(peer, k) = number(operation, step, static_cast<int>(peer), k);
  }

  const int stride = with_gaps ? 2 : 1;
  const MPI_Datatype type = with_gaps ? spaced_double : MPI_DOUBLE;
  std::vector<int> counts;
  std::vector<int> at;
  std::vector<double> memory;
};

/// Returns counts that are equal in both directions, with none from a rank to itself.
std::vector<int> symmetric_counts() {
  std::vector<int> counts;
  for (int peer = 0; peer < world_size; ++peer)
    counts.push_back(peer == world_rank ? 0 : 1 + (peer + world_rank) % 3);
  return counts;
}

void alltoall(int step) {
  Buffer sent(std::vector<int>(world_size, 2), true);
  Buffer received(std::vector<int>(world_size, 2), true);
  sent.fill("Alltoall", step);
  MPI_Alltoall(sent.memory.data(), 2, sent.type, received.memory.data(), 2, received.type, MPI_COMM_WORLD);
}

void alltoallv(int step) {
  Buffer sent(symmetric_counts());
  Buffer received(symmetric_counts());
  sent.fill("Alltoallv", step);
  MPI_Alltoallv(sent.memory.data(), sent.counts.data(), sent.at.data(), sent.type, received.memory.data(),
                received.counts.data(), received.at.data(), received.type, MPI_COMM_WORLD);
}

void alltoallv_in_place(int step, MPI_Comm comm) {
  Buffer both(symmetric_counts());
  both.fill("in place", step);
  MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, both.memory.data(), both.counts.data(),
                both.at.data(), both.type, comm);
}

/// Describes the same numbers by bytes, or by one element of a vector type.
struct TypedParts {
  explicit TypedParts(const Buffer& buffer) {
    for (std::size_t peer = 0; peer < buffer.counts.size(); ++peer) {
      at.push_back(static_cast<int>(sizeof(double)) * buffer.stride * buffer.at[peer]);
      counts.push_back(with_gaps ? 1 : static_cast<int>(sizeof(double)) * buffer.counts[peer]);
      types.push_back(MPI_BYTE);
      if (!with_gaps) continue;
      MPI_Type_vector(buffer.counts[peer], 1, 2, MPI_DOUBLE, &types.back());
      MPI_Type_commit(&types.back());
    }
  }
  ~TypedParts() {
    for (MPI_Datatype& type : types)
      if (type != MPI_BYTE) MPI_Type_free(&type);
  }
  std::vector<int> at;
  std::vector<int> counts;
  std::vector<MPI_Datatype> types;
};

void alltoallw(int step) {
  Buffer sent(symmetric_counts());
  Buffer received(symmetric_counts());
  sent.fill("Alltoallw", step);
  const TypedParts to(sent);
  const TypedParts from(received);
  MPI_Alltoallw(sent.memory.data(), to.counts.data(), to.at.data(), to.types.data(), received.memory.data(),
                from.counts.data(), from.at.data(), from.types.data(), MPI_COMM_WORLD);
}

void allgatherv(int step) {
  std::vector<int> counts;
  for (int peer = 0; peer < world_size; ++peer) counts.push_back(1 + peer);
  Buffer sent({1 + world_rank}, true);
  Buffer received(counts);
  for (int k = 0; k < 1 + world_rank; ++k) sent.element(0, k) = number("Allgatherv", step, world_size - 1, k);
  MPI_Allgatherv(sent.memory.data(), sent.counts[0], sent.type, received.memory.data(),
                 received.counts.data(), received.at.data(), received.type, MPI_COMM_WORLD);
}

/// Exchanges with both neighbours in a row of ranks. MPI ignores the arguments for missing neighbours.
void neighbor_alltoallv(int step, MPI_Comm row) {
  const std::vector<int> neighbors = {world_rank - 1, world_rank + 1};
  Buffer sent({2, 2});
  Buffer received({2, 2});
  for (std::size_t k = 0; k < 2; ++k) {
    if (neighbors[k] < 0 || neighbors[k] == world_size) {
      sent.at[k] = received.at[k] = 1 << 28;
    } else {
      for (int element = 0; element < 2; ++element)
        sent.element(k, element) = number("Neighbor_alltoallv", step, neighbors[k], element);
    }
  }
  MPI_Neighbor_alltoallv(sent.memory.data(), sent.counts.data(), sent.at.data(), sent.type,
                         received.memory.data(), received.counts.data(), received.at.data(), received.type,
                         row);
}

void ialltoallv(int step) {
  Buffer sent(symmetric_counts());
  Buffer received(symmetric_counts());
  sent.fill("Ialltoallv", step);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallv(sent.memory.data(), sent.counts.data(), sent.at.data(), sent.type, received.memory.data(),
                 received.counts.data(), received.at.data(), received.type, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Persistent exchange, whose type is freed before it is started.
struct PersistentExchange {
  PersistentExchange() : sent(symmetric_counts()), received(symmetric_counts()) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(sent.type, &type);
    PERSISTENT(Alltoallv_init)
    (sent.memory.data(), sent.counts.data(), sent.at.data(), type, received.memory.data(),
     received.counts.data(), received.at.data(), type, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Type_free(&type);
  }
  ~PersistentExchange() { MPI_Request_free(&request); }
  void run(int step) {
    sent.fill("Alltoallv_init", step);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  Buffer sent;
  Buffer received;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Sends the same two bytes in several types: with an inaccessible page between them, in reverse order,
/// adjacent, and at their address from MPI_BOTTOM.
void inaccessible_gap() {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* const memory = static_cast<char*>(pages);
  memory[page - 1] = 1;
  memory[2 * page] = 2;
  mprotect(memory + page, page, PROT_NONE);
  const auto exchange = [](const char* buffer, MPI_Datatype type) {
    MPI_Type_commit(&type);
    std::vector<int> counts(world_size, 1);
    std::vector<int> at(world_size, 0);
    std::vector<int> received_at;
    for (int peer = 0; peer < world_size; ++peer) received_at.push_back(2 * peer);
    std::vector<int> received_counts(world_size, 2);
    std::vector<char> received(2 * world_size);
    MPI_Alltoallv(buffer, counts.data(), at.data(), type, received.data(), received_counts.data(),
                  received_at.data(), MPI_BYTE, MPI_COMM_WORLD);
    MPI_Type_free(&type);
  };
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int apart[] = {0, static_cast<int>(page) + 1};
  MPI_Type_create_indexed_block(2, 1, apart, MPI_BYTE, &type);
  exchange(memory + page - 1, type);
  const int reversed[] = {1, 0};
  MPI_Type_create_indexed_block(2, 1, reversed, MPI_BYTE, &type);
  exchange("\2\1", type);
  const std::vector<char> plain = {1, 2};
  MPI_Type_contiguous(2, MPI_BYTE, &type);
  exchange(plain.data(), type);
  MPI_Aint address = 0;
  MPI_Get_address(plain.data(), &address);
  const int length = 2;
  MPI_Type_create_hindexed(1, &length, &address, MPI_BYTE, &type);
  exchange(static_cast<const char*>(MPI_BOTTOM), type);
}

void exchange_in_steps(int steps) {
  MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &spaced_double);
  MPI_Type_commit(&spaced_double);
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  const int not_periodic = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &not_periodic, 0, &row);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  PersistentExchange persistent;
  for (int step = 0; step < steps; ++step) {
    alltoall(step);
    alltoallv(step);
    alltoallv_in_place(step, copy);
    alltoallw(step);
    allgatherv(step);
    neighbor_alltoallv(step, row);
    ialltoallv(step);
    persistent.run(step);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&copy);
  MPI_Type_free(&spaced_double);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  find_ranks();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  with_gaps = arguments.at(1) == "gaps";
  if (arguments.size() > 2) {
    changed_step = std::atoi(arguments[2].c_str());
    changed_operations = {arguments.begin() + 3, arguments.end()};
  }
  if (arguments[0] == "inaccessible")
    inaccessible_gap();
  else
    exchange_in_steps(std::atoi(arguments[0].c_str()));
  MPI_Finalize();
}
