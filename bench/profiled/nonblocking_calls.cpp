// usage: nonblocking_calls OPEN CALLS
// Prints the CPU time in ns that a preloaded profiler adds to an MPI_Ialltoallv call and its MPI_Wait. This
// is the time of these calls minus the time of calls to unprofiled functions; all of them do nothing. OPEN
// calls are started before the first one is waited for. Link no_exchange.cpp before MPI.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <vector>

#include "no_exchange.hpp"

namespace {

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr int ranks = 64;
  constexpr int turns = 10;
  no_exchange_ranks = ranks;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(std::atoi(argv[1])));
  const std::int64_t rounds =
      std::max<std::int64_t>(std::atoll(argv[2]) / turns / static_cast<std::int64_t>(requests.size()), 1);
  MPI_Init(&argc, &argv);
  const std::vector<int> counts(ranks, 1000);
  const std::vector<int> at(ranks);
  const auto time = [&](auto* ialltoallv, auto* wait) {
    const double begin = cpu_ns();
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (MPI_Request& request : requests)
        ialltoallv(nullptr, counts.data(), at.data(), MPI_DOUBLE, nullptr, counts.data(), at.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD, &request);
      for (MPI_Request& request : requests) wait(&request, MPI_STATUS_IGNORE);
    }
    return cpu_ns() - begin;
  };
  double profiled = std::numeric_limits<double>::infinity();
  double unprofiled = profiled;
  for (int turn = 0; turn < turns; ++turn) {
    profiled = std::min(profiled, time(MPI_Ialltoallv, MPI_Wait));
    unprofiled = std::min(unprofiled, time(no_exchange_ialltoallv, no_exchange_wait));
  }
  std::printf("%g\n",
              (profiled - unprofiled) / static_cast<double>(rounds) / static_cast<double>(requests.size()));
  MPI_Finalize();
}
