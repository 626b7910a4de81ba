#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/handles/communicators.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Describes the communicators of the program to the recorder, in a form that other ranks recognise. Calls
/// only local functions.
class CountedCommunicators {
 public:
  /// Registers MPI_COMM_WORLD and MPI_COMM_SELF.
  explicit CountedCommunicators(collectives::Recorder& recorder);
  CountedCommunicators(const CountedCommunicators&) = delete;
  CountedCommunicators& operator=(const CountedCommunicators&) = delete;

  /// Registers a new communicator, made from `parent` (MPI_COMM_NULL if none), so that it differs from others
  /// with the same members. Ignores MPI_COMM_NULL.
  void created(MPI_Comm parent, MPI_Comm communicator);
  /// Registers a copy of `original` that may not be used before a request has completed.
  void being_created(MPI_Comm original, MPI_Comm communicator);

  /// Returns the data of a communicator, or null if its calls are not recorded. Takes a few ns for a
  /// recently used one.
  Communicator* find(MPI_Comm communicator);
  /// Records the neighbours of a communicator, if they are not recorded yet.
  void record_neighbors(MPI_Comm communicator, Communicator& known);

 private:
  std::uint64_t order_of(MPI_Comm communicator, Communicator& known);
  std::uint64_t next_order(MPI_Comm parent, MPI_Comm communicator);
  void describe(MPI_Comm communicator, Communicator& known);

  collectives::Recorder& recorder_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      orders_;  ///< number of communicators so far, by hash of parent and members
  std::unordered_map<MPI_Comm, std::uint64_t> being_created_;
};

}  // namespace plimsoll::interpose
