#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Messages of the current phase, summed by edge: from, to and category. Edges keep their rows between
/// phases, because most programs use the same edges again. If at least half of the edges were unused in the
/// last phase, the unused ones are dropped.
class EdgeTable {
 public:
  /// Messages from one endpoint to another, counted in the current phase.
  struct Edge {
    Endpoint from;
    Endpoint to;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;  ///< 0 if the edge is not part of this phase
    lbdata::EntityIndex from_entity = unresolved;
    lbdata::EntityIndex to_entity = unresolved;
    lbdata::CommCategory category;
    bool off_rank = false;  ///< whether one end is not on this rank; valid if resolved
  };
  static constexpr lbdata::EntityIndex unresolved = 0xffffffffU;

  /// Adds messages to an edge. Amortised O(1); allocates memory only for new edges.
  void add(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t bytes,
           std::uint64_t messages);

  std::span<Edge> edges() { return edges_; }
  std::span<const Edge> edges() const { return edges_; }
  std::size_t size() const { return edges_.size(); }

  /// Marks the entities of all edges as unresolved.
  void unresolve();
  /// Sets all volumes to zero. O(edges).
  void end_phase();

 private:
  Edge& add_edge(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t hash);
  void drop_unused();

  std::vector<Edge> edges_;
  support::TaggedPositionHash index_;  // the tags avoid reading other edges, which would be cache misses
};

}  // namespace plimsoll::runtime
