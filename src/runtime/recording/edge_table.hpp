#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::runtime {

/// Messages of a phase summed up by edge: from, to and category. An edge once met keeps its place over the
/// phases to come, because most programs send along the same edges again; those unused for a phase go when
/// they are the greater part.
class EdgeTable {
 public:
  /// Messages from one endpoint to another, counted in the present phase.
  struct Edge {
    Endpoint from;
    Endpoint to;
    lbdata::CommCategory category;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;  ///< in this phase; the edge is not part of it if 0
    lbdata::EntityIndex from_entity = unresolved;
    lbdata::EntityIndex to_entity = unresolved;
    bool off_rank = false;  ///< not from and to what is on this rank; meaningful if resolved
  };
  static constexpr lbdata::EntityIndex unresolved = 0xffffffffU;

  EdgeTable();

  /// Adds messages to an edge. Amortised O(1); allocates only for an edge not met before.
  void add(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t bytes,
           std::uint64_t messages);

  std::span<Edge> edges() { return edges_; }
  std::span<const Edge> edges() const { return edges_; }
  std::size_t size() const { return edges_.size(); }

  /// No edge knows its entities any more.
  void unresolve();
  /// All volumes are zero again. O(edges).
  void end_phase();

 private:
  /// Where an edge is, and half of its hash, so that the edges of other slots need not be looked at.
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
