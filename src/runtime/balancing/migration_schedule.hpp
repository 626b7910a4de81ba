#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

#include "runtime/balancing/object_queue.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// The moves of one rank, with the sizes of all objects.
struct MigrationSchedule {
  std::vector<ObjectQueue> outgoing;  ///< one per receiver, ascending by distance from this rank
  std::vector<ObjectQueue> incoming;  ///< one per sender
  std::vector<SizedObject> in_place;  ///< objects that are packed and unpacked on this rank
  int rounds = 0;                     ///< rounds of all ranks
};

/// Asks for the size of every object that leaves this rank, and compares the lists of all ranks. Collective.
/// Throws Error on all ranks if they are invalid or differ, or if size_bytes() throws.
MigrationSchedule make_schedule(const mpi::Communicator& communicator, std::span<const Move> exports,
                                std::span<const Move> imports, const ObjectTransport& transport,
                                std::size_t max_buffer_bytes);

}  // namespace plimsoll::runtime
