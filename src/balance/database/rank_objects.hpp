#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

/// The migratable objects of each rank, by load, and when each rank finishes, while objects move about.
///
/// Starts from the decisions of a graph (from_proc where there is none) and writes moves back to it.
class RankObjects {
 public:
  struct Item {
    double load;
    std::uint32_t object;
    friend auto operator<=>(const Item&, const Item&) = default;
  };

  /// O(objects + ranks). Both must outlive this.
  RankObjects(ObjGraph& graph, const ProcArray& procs);

  std::uint32_t n_ranks() const { return static_cast<std::uint32_t>(finish_.size()); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  double speed(std::uint32_t rank) const { return procs_.procs[rank].pe_speed; }
  /// Seconds at which a rank finishes.
  double finish(std::uint32_t rank) const { return finish_[rank]; }
  /// Greatest finish of an available rank.
  double max_finish() const;

  /// The objects of a rank, lightest first. Sorts them when first asked, since many ranks are never asked.
  const std::vector<Item>& items(std::uint32_t rank);
  /// Moves item `position` of items(from). O(objects of the two ranks).
  void move(std::uint32_t from, std::size_t position, std::uint32_t to);

 private:
  ObjGraph& graph_;
  const ProcArray& procs_;
  std::vector<double> finish_;
  std::vector<std::uint32_t> objects_;  ///< grouped by the rank that they started on
  std::vector<std::uint32_t> begin_;    ///< of each rank's group
  std::vector<std::vector<Item>> items_;
  std::vector<bool> sorted_;  ///< whether items_ of a rank is complete and sorted, or arrivals only
};

}  // namespace plimsoll::balance
