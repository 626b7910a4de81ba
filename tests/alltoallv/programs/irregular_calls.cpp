// Makes calls in which ranks differ. irregular_calls_test.cpp contains the expected record of each case,
// which the first argument selects.
#include <mpi.h>

#include <map>
#include <string>
#include <vector>

namespace {

int world_rank = 0;
int world_size = 0;

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

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases = {{"half_of_ranks", half_of_ranks}, {"rotating", rotating}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  cases.at(argc > 1 ? argv[1] : "")();
  MPI_Finalize();
}
