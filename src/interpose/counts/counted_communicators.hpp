#pragma once

#include <mpi.h>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/handles/creation_order.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Describes the communicators of the program to the recorder, in a form that other ranks recognise. Calls
/// only local functions.
class CountedCommunicators {
 public:
  explicit CountedCommunicators(collectives::Recorder& recorder) : recorder_(recorder) {}

  /// Order of the communicators' creation.
  CreationOrder& order() { return order_; }
  /// Returns the data of a communicator, or null if its calls are not recorded. Takes a few ns for a
  /// recently used one.
  Communicator* find(MPI_Comm communicator);
  /// Records the neighbours of a communicator, if they are not recorded yet.
  void record_neighbors(MPI_Comm communicator, Communicator& known);

 private:
  void describe(MPI_Comm communicator, Communicator& known);

  collectives::Recorder& recorder_;
  CreationOrder order_;
};

}  // namespace plimsoll::interpose
