// Makes collective calls for which some ranks are late, and measures the waiting itself: each rank keeps its
// arrival times, and after all calls the ranks compare them. Rank 0 writes lines "FUNCTION SECONDS" with the
// waiting of all ranks to a file.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;  // the same clock on all ranks of a host

struct Call {
  std::string function;
  MPI_Comm comm;
  bool is_awaited;
  bool waits;
  double begin_s;
  double end_s;
};
std::vector<Call> calls;

double now_s() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void compute(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

template <class Function>
void timed(const char* function, MPI_Comm comm, bool is_awaited, bool waits, Function&& call) {
  const double begin_s = now_s();
  call();
  calls.push_back({function, comm, is_awaited, waits, begin_s, now_s()});
}

/// Returns the waiting of all ranks in the calls, in seconds, by function.
std::map<std::string, double> waiting() {
  std::map<std::string, double> sums;
  for (const Call& call : calls) {
    double latest_s = call.is_awaited ? call.begin_s : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &latest_s, 1, MPI_DOUBLE, MPI_MAX, call.comm);
    const double waited_s = std::max(0., std::min(latest_s, call.end_s) - call.begin_s);
    sums[call.function] += call.waits ? waited_s : 0;
  }
  for (auto& [function, sum] : sums)
    PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sums;
}

// Without tail calls, each call has a return address of its own.
__attribute__((noinline)) void barrier(MPI_Comm comm) {
  MPI_Barrier(comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  int value = 0;
  int sum = 0;

  // The same place in the code waits in every second call only.
  for (int step = 0; step < 300; ++step) {
    compute(rank == 0 ? 2 : 0);
    timed("MPI_Barrier", MPI_COMM_WORLD, true, true, [] { barrier(MPI_COMM_WORLD); });
    timed("MPI_Barrier", MPI_COMM_WORLD, true, true, [] { barrier(MPI_COMM_WORLD); });
  }
  timed("MPI_Barrier", MPI_COMM_SELF, true, true, [] { barrier(MPI_COMM_SELF); });
  // Ranks of other communicators do not matter.
  for (int step = 0; step < 50; ++step) {
    compute(2 * rank);
    timed("MPI_Allreduce", pair, true, true, [&] { MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, pair); });
  }
  MPI_Comm_free(&pair);
  // Only the root is awaited.
  PMPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < 50; ++step) {
    compute(rank == 0 ? 3 : 4 * (rank % 2));
    timed("MPI_Bcast", MPI_COMM_WORLD, rank == 0, rank != 0,
          [&] { MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); });
  }
  // Only the root waits.
  PMPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < 50; ++step) {
    compute(rank == 1 ? 4 : 2);
    timed("MPI_Gather", MPI_COMM_WORLD, rank != 0, rank == 0, [&] {
      int all[64];
      MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    });
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  for (Call& call : calls)
    if (call.function == "MPI_Allreduce") call.comm = pair;
  // Any number of communicators may be in use.
  std::vector<MPI_Comm> copies(150);
  for (MPI_Comm& copy : copies) MPI_Comm_dup(pair, &copy);
  for (const MPI_Comm copy : copies) {
    compute(rank % 2 == 0 ? 2 : 0);
    timed("MPI_Scatter", copy, rank % 2 == 0, rank % 2 != 0, [&] {
      int all[2] = {};
      MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 0, copy);
    });
  }
  const auto sums = waiting();
  if (rank == 0)
    for (std::ofstream file(argv[1]); const auto& [function, sum_s] : sums)
      file << function << ' ' << sum_s << '\n';
  MPI_Finalize();
}
