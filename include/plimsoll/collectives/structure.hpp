#pragma once

#include <compare>
#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Class of the communication in one call. The partners of a rank are the other ranks to which it sends data,
/// and those from which it receives data; data that a rank sends to itself do not matter. The first class
/// that fits applies.
enum class StructureClass : std::uint8_t {
  empty,      ///< no data
  local,      ///< ranks send data only to themselves
  pairwise,   ///< each rank sends to at most one rank, which also sends to it
  shift,      ///< each rank sends to at most one rank, and receives from at most one: chains and rings
  gather,     ///< each rank sends to at most one rank; some rank receives from several
  scatter,    ///< each rank receives from at most one rank; some rank sends to several
  dense,      ///< at least 3/4 of all pairs of a sender and a receiver exchange data
  transpose,  ///< ranks form separate groups; in a group, each rank sends to all others
  halo,       ///< symmetric: each rank sends to the ranks from which it receives
  irregular   ///< all others
};

/// Returns the name of a class, such as "halo".
const char* to_string(StructureClass structure_class);

/// Minimum and maximum number of partners of the ranks that have any.
struct Degree {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  friend auto operator<=>(const Degree&, const Degree&) = default;
};

/// Structure of the communication in one call: which ranks exchange data, regardless of the amount.
struct Structure {
  StructureClass kind = StructureClass::empty;
  std::uint32_t senders = 0;    ///< ranks that send to other ranks
  std::uint32_t receivers = 0;  ///< ranks that receive from other ranks
  Degree sends_to;              ///< number of ranks to which a sender sends
  Degree receives_from;         ///< number of ranks from which a receiver receives
  bool symmetric = false;       ///< whether each rank sends to exactly the ranks from which it receives
  friend auto operator<=>(const Structure&, const Structure&) = default;
};

/// Returns the structure of the calls of a count set, from its send counts. `remote_size`: size of the remote
/// group if the calls are on an inter-communicator, else 0. The partners of a rank are then in the other
/// group, whose ranks send what the receive counts specify. Sets of partners are compared by 64-bit hashes.
/// Cost: O(numbers + ranks).
Structure structure_of(const Signature& signature, std::uint32_t remote_size = 0);

}  // namespace plimsoll::collectives
