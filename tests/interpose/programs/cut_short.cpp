// Exchanges changing counts until rank 1 ends the run after 400 calls. The first argument selects how:
// "kill", "segv", "term" (SIGTERM to all ranks), "abort" (MPI_Abort) or "exit" (without MPI_Finalize).
// Each rank stores the number of its completed calls in DIR/completed.RANK (DIR: the second argument). This
// file survives any kind of end.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

std::string pid_file(const std::string& folder, int rank) {
  return folder + "/pid." + std::to_string(rank);
}

/// Ends all ranks as a batch system does at the time limit.
void terminate_all(const std::string& folder, int size) {
  for (int rank = size - 1; rank >= 0; --rank) {
    pid_t process = 0;
    std::ifstream(pid_file(folder, rank)) >> process;
    if (process != ::getpid()) ::kill(process, SIGTERM);
  }
  std::raise(SIGTERM);
}

void end(const std::string& how) {
  if (how == "kill") std::raise(SIGKILL);
  if (how == "segv") std::raise(SIGSEGV);
  if (how == "abort") MPI_Abort(MPI_COMM_WORLD, 5);
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::ofstream(pid_file(argv[2], rank)) << ::getpid();
  const int note =
      ::open((std::string(argv[2]) + "/completed." + std::to_string(rank)).c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<int> send_counts(size), recv_counts(size), at(size), sent(16 * size), received(16 * size);
  for (int peer = 0; peer < size; ++peer) at[peer] = 16 * peer;
  for (std::uint64_t call = 0; call < 1000; ++call) {
    if (rank == 1 && call == 400 && argv[1] == std::string("term")) terminate_all(argv[2], size);
    if (rank == 1 && call == 400) end(argv[1]);
    for (int peer = 0; peer < size; ++peer) {
      send_counts[peer] = static_cast<int>((call + 3 * rank + peer) % 7);
      recv_counts[peer] = static_cast<int>((call + 3 * peer + rank) % 7);
    }
    MPI_Alltoallv(sent.data(), send_counts.data(), at.data(), MPI_INT, received.data(), recv_counts.data(),
                  at.data(), MPI_INT, MPI_COMM_WORLD);
    const std::uint64_t completed = call + 1;
    if (::pwrite(note, &completed, sizeof completed, 0) != sizeof completed) std::abort();
  }
  MPI_Finalize();
}
