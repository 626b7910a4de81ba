// usage: timed_calls DIRECTORY
// Alternates pauses of different length on each rank with MPI calls, and times both itself. Writes to
// DIRECTORY/times.<rank>: the seconds from MPI_Init to MPI_Finalize, those in MPI calls, and those outside of
// them.
#include <mpi.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using std::this_thread::sleep_for;
using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Clock::duration in_mpi{};
Clock::duration outside_mpi{};

template <class Call>
void measure(Clock::duration& sum, const Call& call) {
  const Clock::time_point begin = Clock::now();
  call();
  sum += Clock::now() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Clock::time_point begin = Clock::now();
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  std::vector<char> sent(1 << 16);
  std::vector<char> received(1 << 16);
  const int count = static_cast<int>(sent.size());

  for (int step = 0; step < 10; ++step) {
    measure(outside_mpi, [&] { sleep_for(std::chrono::milliseconds(20 * (rank + 1))); });
    MPI_Comm comm = MPI_COMM_NULL;
    measure(in_mpi, [&] { MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm); });
    measure(in_mpi, [&] { MPI_Comm_free(&comm); });
    MPI_Request request = MPI_REQUEST_NULL;
    measure(in_mpi, [&] { MPI_Irecv(received.data(), count, MPI_CHAR, left, 0, MPI_COMM_WORLD, &request); });
    measure(outside_mpi, [&] { sleep_for(std::chrono::milliseconds(20 * (ranks - rank))); });
    measure(in_mpi, [&] { MPI_Send(sent.data(), count, MPI_CHAR, right, 0, MPI_COMM_WORLD); });
    measure(in_mpi, [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
  }

  std::ofstream(std::string(argv[1]) + "/times." + std::to_string(rank))
      << seconds(Clock::now() - begin) << ' ' << seconds(in_mpi) << ' ' << seconds(outside_mpi) << '\n';
  MPI_Finalize();
}
