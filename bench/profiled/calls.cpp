// usage: calls RANKS SIGNATURES CALLS
// Prints the CPU time in ns that a preloaded profiler adds per MPI_Alltoallv call. This is the time of these
// calls minus the time of calls to an unprofiled function; both functions do nothing. Link no_exchange.cpp
// before MPI. With 0 signatures, no two calls have the same counts.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "no_exchange.hpp"

namespace {

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

class Program {
 public:
  Program(std::size_t ranks, std::size_t signatures)
      : all_differ_(signatures == 0), displacements_(ranks), signatures_(all_differ_ ? 1 : signatures) {
    for (std::size_t k = 0; k < signatures_.size(); ++k) {
      signatures_[k].assign(ranks, 1000);
      signatures_[k].back() = static_cast<int>(k);
    }
  }

  /// Returns the CPU time of the given number of calls.
  template <class Alltoallv>
  double time(Alltoallv* alltoallv, std::int64_t calls) {
    const double begin = cpu_ns();
    for (std::int64_t call = 0; call < calls; ++call) {
      std::vector<int>& counts = signatures_[next_];
      if (++next_ == signatures_.size()) next_ = 0;
      if (all_differ_) ++counts.back();
      alltoallv(nullptr, counts.data(), displacements_.data(), MPI_DOUBLE, nullptr, counts.data(),
                displacements_.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    }
    return cpu_ns() - begin;
  }

 private:
  bool all_differ_;
  std::vector<int> displacements_;
  std::vector<std::vector<int>> signatures_;
  std::size_t next_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  no_exchange_ranks = std::atoi(argv[1]);
  const auto signatures = static_cast<std::size_t>(std::atoi(argv[2]));
  const std::int64_t calls = std::atoll(argv[3]);
  MPI_Init(&argc, &argv);
  Program program(static_cast<std::size_t>(no_exchange_ranks), signatures);
  if (signatures > 0) program.time(MPI_Alltoallv, calls / 10);
  constexpr int turns = 10;
  double profiled = 0;
  double unprofiled = 0;
  for (int turn = 0; turn < turns; ++turn) {
    profiled += program.time(MPI_Alltoallv, calls / turns);
    unprofiled += program.time(no_exchange_alltoallv, calls / turns);
  }
  const long timed = calls / turns * turns;
  std::printf("%g\n", (profiled - unprofiled) / static_cast<double>(timed));
  MPI_Finalize();
}
