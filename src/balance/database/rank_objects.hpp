#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/load_sort.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migratable objects of each rank, sorted by load, and the finish time of each rank, while objects migrate.
///
/// Starts from the new placement of a graph, or from from_proc for objects without a new rank, and writes
/// migrations back to the graph.
class RankObjects {
 public:
  struct Item {
    double load;
    std::uint32_t object;
    friend auto operator<=>(const Item&, const Item&) = default;
  };

  /// Requires that both arguments outlive this object. Cost: O(objects + ranks).
  RankObjects(ObjGraph& graph, const ProcArray& procs);

  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(finish_.size()); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  double speed(std::uint32_t rank) const { return procs_.procs[rank].pe_speed; }
  /// Returns the finish time of `rank` in seconds.
  double finish(std::uint32_t rank) const { return finish_[rank]; }
  /// Returns the maximum finish time of the available ranks.
  double max_finish() const;

  /// Returns the objects of `rank`, lightest first. Sorts them at the first call, because many ranks are
  /// never queried.
  const std::vector<Item>& items(std::uint32_t rank);
  /// Returns the rank where a migratable object is now.
  std::uint32_t rank_of(std::uint32_t object) const;
  /// Returns all migratable objects in approximate order (to float precision), heaviest first.
  std::vector<LoadedObject> by_descending_load() const;
  /// Migrates item `position` of items(from). Cost: O(objects of the two ranks).
  void move(std::uint32_t from, std::size_t position, std::uint32_t to);

 private:
  ObjGraph& graph_;
  const ProcArray& procs_;
  std::vector<double> finish_;
  std::vector<std::uint32_t> objects_;  ///< objects grouped by their first rank
  std::vector<std::uint32_t> begin_;    ///< start of each rank's group
  std::vector<std::vector<Item>> items_;
  std::vector<bool>
      sorted_;  ///< whether items_ of each rank is complete and sorted; if not, it only contains arrivals
};

}  // namespace plimsoll::balance
