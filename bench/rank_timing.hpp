#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

// What the programs that benchmarks launch on several ranks have in common.

namespace plimsoll::bench {

inline constexpr int repetitions = 25;
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Prints a result as mpi_case.hpp reads it.
inline void print(const mpi::Communicator& communicator, const std::string& name, double value) {
  if (communicator.rank() == 0) fmt::print("{} {}\n", name, value);
}

/// Returns the time of the slowest rank.
template <class Work>
double seconds_of(const mpi::Communicator& communicator, const Work& work) {
  communicator.barrier();
  const double start = MPI_Wtime();
  work();
  return communicator.max(MPI_Wtime() - start);
}

/// Returns the time of `count` MPI messages between two ranks, in turn the first `n_arrays` of these arrays,
/// each when the previous one has arrived.
inline double ping_pong(const mpi::Communicator& communicator, std::vector<std::vector<std::byte>>& arrays,
                        std::size_t n_arrays, std::size_t count) {
  return seconds_of(communicator, [&] {
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<std::byte>& array = arrays[k % n_arrays];
      const int bytes = static_cast<int>(array.size());
      const int from = static_cast<int>(k % 2);
      if (communicator.rank() == from)
        MPI_Send(array.data(), bytes, MPI_BYTE, 1 - from, 0, communicator.handle());
      else
        MPI_Recv(array.data(), bytes, MPI_BYTE, from, 0, communicator.handle(), MPI_STATUS_IGNORE);
    }
  });
}

}  // namespace plimsoll::bench
