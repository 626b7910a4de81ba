#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::runtime {

/// The messages of a phase, summed by edge: from, to and category. Edges keep their rows in later phases,
/// because most programs send along the same edges again. If most edges were unused in a phase, those are
/// dropped.
class EdgeTable {
 public:
  /// Messages from one endpoint to another, counted in the current phase.
  struct Edge {
    Endpoint from;
    Endpoint to;
    lbdata::CommCategory category;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;  ///< 0 if the edge is not part of this phase
    lbdata::EntityIndex from_entity = unresolved;
    lbdata::EntityIndex to_entity = unresolved;
    bool off_rank = false;  ///< whether an end is not on this rank; valid if resolved
  };
  static constexpr lbdata::EntityIndex unresolved = 0xffffffffU;

  EdgeTable();

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
  /// The row of an edge, and half of its hash, which tells most other edges apart without reading their rows.
  struct Slot {
    std::uint32_t row_plus_1 = 0;  ///< 0: free
    std::uint32_t tag = 0;
  };
  std::uint32_t add_row(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t hash);
  void place(std::uint64_t hash, std::uint32_t row);
  void rebuild_index(std::size_t slots);
  void drop_unused();

  std::vector<Edge> edges_;
  // Open addressing, linear probing, at most half full. Not support::PositionHash, which has no tags, so that
  // a message costs a cache miss for each other edge in its way: add() along known edges takes 11 % longer
  // with it for 1,000 edges, 25 % for 100,000 and 46 % for a million.
  std::vector<Slot> index_;
};

}  // namespace plimsoll::runtime
