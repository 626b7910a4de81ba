// usage: hashed_data BYTES adjacent|gaps
// Prints three times in ns: what a preloaded profiler adds to an MPI_Alltoallv call that sends and receives
// BYTES each, among them the hashing of the data; the hashing of these bytes alone, with XXH3; and the
// reading of the same memory. Link no_exchange.cpp before MPI, so that the call does nothing else.
#include <mpi.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "no_exchange.hpp"

namespace {

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Returns the CPU time of one execution of a function: the minimum over several turns, each of `repetitions`
/// executions.
template <class Function>
double minimum_ns(std::int64_t turns, std::int64_t repetitions, Function&& function) {
  double minimum = std::numeric_limits<double>::infinity();
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const double begin = cpu_ns();
    for (std::int64_t k = 0; k < repetitions; ++k) function();
    minimum = std::min(minimum, cpu_ns() - begin);
  }
  return minimum / static_cast<double>(repetitions);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto numbers = static_cast<std::size_t>(std::atoll(argv[1])) / sizeof(double);
  const bool gaps = std::string(argv[2]) == "gaps";
  constexpr std::int64_t turns = 20;
  const std::int64_t repetitions = std::max<std::int64_t>((1 << 22) / std::atoll(argv[1]), 1);
  no_exchange_ranks = 4;
  MPI_Init(&argc, &argv);
  MPI_Datatype type = MPI_DOUBLE;
  if (gaps) {
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &type);
    MPI_Type_commit(&type);
  }
  const std::size_t size = numbers * (gaps ? 2 : 1);
  std::vector<double> sent(size, 1);
  std::vector<double> received(size, 2);
  const std::vector<int> counts(4, static_cast<int>(numbers / 4));
  const std::vector<int> at = {0, counts[0], 2 * counts[0], 3 * counts[0]};
  const auto call = [&](auto* alltoallv) {
    alltoallv(sent.data(), counts.data(), at.data(), type, received.data(), counts.data(), at.data(), type,
              MPI_COMM_WORLD);
  };
  volatile double sink = 0;
  const double profiled = minimum_ns(turns, repetitions, [&] { call(MPI_Alltoallv); });
  const double unprofiled = minimum_ns(turns, repetitions, [&] { call(no_exchange_alltoallv); });
  const double hashed = minimum_ns(turns, repetitions, [&] {
    sink = static_cast<double>(XXH3_64bits(sent.data(), numbers * sizeof(double)) ^
                               XXH3_64bits(received.data(), numbers * sizeof(double)));
  });
  const double read = minimum_ns(turns, repetitions, [&] {
    std::uint64_t bits = 0;
    for (const std::vector<double>* data : {&sent, &received}) {
      const auto* const words = reinterpret_cast<const std::uint64_t*>(data->data());
      bits = std::accumulate(words, words + size, bits);
    }
    sink = static_cast<double>(bits);
  });
  std::printf("%g %g %g\n", profiled - unprofiled, hashed, read);
  if (gaps) MPI_Type_free(&type);
  MPI_Finalize();
}
