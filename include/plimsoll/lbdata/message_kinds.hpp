#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Kinds of messages in a data set. They show whether a program recorded its messages in the way that
/// strategies need.
struct MessageKinds {
  std::uint64_t between_objects = 0;  ///< edges between two different objects, without rank objects
  bool within_ranks = false;     ///< whether both objects of such an edge are on the rank that recorded it
  bool several_objects = false;  ///< whether a rank had several migratable objects in one phase
  double bytes = 0;              ///< bytes of all edges between objects and ranks, except broadcasts of ranks
  double rank_bytes = 0;         ///< part of `bytes` on edges with a rank or a rank object as an end

  void merge(const MessageKinds& other);
};

/// Returns the kinds of messages in all phases. Expected O(tasks + edges).
MessageKinds message_kinds(const Dataset& dataset);

/// Returns whether an object represents a rank: its number is a bare handler of its home.
bool is_rank_object(std::uint64_t number, std::int64_t home, bool migratable);

/// Returns whether edges of a category are parts of broadcasts: categories 4 to 7. A main program or a rank
/// takes part in these as itself, not in place of an object.
bool is_broadcast(CommCategory category);

/// Returns warnings, with the names of their checks, about messages that are missing within ranks, and about
/// ranks as ends where objects are meant. `rank_count` is the number of ranks of the data set.
std::vector<Diagnostic> message_warnings(const MessageKinds& kinds, std::size_t rank_count);

}  // namespace plimsoll::lbdata
