#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Pauses of a rank that polls. The first ones take no time, later ones give the core to other processes, and
/// after 0.5 ms they sleep. With more ranks than cores, ranks that work are therefore not slowed down by
/// those that wait for them, as they are by blocking calls of MPI implementations that spin.
class Backoff {
 public:
  /// Pauses for at most 0.2 ms.
  void pause();
  /// Starts again with short pauses, because what the rank polled for has happened.
  void reset() { pauses_ = 0; }

 private:
  std::int64_t pauses_ = 0;
  std::chrono::steady_clock::time_point start_;  // of the pauses that take time
};

/// Waits with a Backoff until the request is complete, which sets it to MPI_REQUEST_NULL. For small messages
/// that another rank may send much later. Throws Error (system) if the operation failed.
void wait(MPI_Request& request);

}  // namespace plimsoll::mpi
