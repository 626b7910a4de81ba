#include "balance/strategies/cluster_lb/packing.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "balance/search/equal_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

class Packing {
 public:
  Packing(const LDStats& stats, const WorkGoal& goal, double level)
      : stats_(stats),
        level_(level),
        state_(stats, goal, non_migratable_only(stats)),
        objects_of_(stats.blocks.size()) {
    std::vector<std::uint32_t> heaviest_first(stats.obj_data.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), 0U);
    std::ranges::stable_sort(heaviest_first, std::greater(),
                             [&](std::uint32_t object) { return load(object); });
    for (const std::uint32_t object : heaviest_first) {
      if (!stats.obj_data[object].migratable) continue;
      const std::uint32_t block = stats.memory.empty() ? ObjMemory::no_block : stats.memory[object].block;
      (block == ObjMemory::no_block ? singles_ : objects_of_[block]).push_back(object);
    }
    for (std::uint32_t block = 0; block < objects_of_.size(); ++block) file(block);
  }

  std::optional<std::vector<std::int32_t>> run() {
    for (std::int32_t rank = 0; rank < stats_.count(); ++rank)
      if (available(rank) && state_.slope(rank) > 0) fill(rank);
    while (!blocks_.empty())
      if (!place_on_roomiest(std::prev(blocks_.end()))) return {};
    for (std::int32_t rank = 0; rank < stats_.count(); ++rank)
      if (available(rank)) by_work_.insert({state_.work(rank), rank});
    for (const std::uint32_t object : singles_)
      if (!place_on_least(object)) return {};
    return state_.placement();
  }

 private:
  using Blocks = std::set<std::pair<double, std::uint32_t>>;

  double load(std::uint32_t object) const { return static_cast<double>(stats_.obj_data[object].walltime); }
  bool available(std::int32_t rank) const { return stats_.procs[static_cast<std::size_t>(rank)].available; }
  std::uint32_t heaviest() const { return blocks_.rbegin()->second; }
  double room(std::int32_t rank) const { return (level_ - state_.work(rank)) / state_.slope(rank); }

  void file(std::uint32_t block) {
    double sum = 0;
    for (const std::uint32_t object : objects_of_[block]) sum += load(object);
    if (!objects_of_[block].empty()) blocks_.insert({sum, block});
  }

  bool place_if_fits(std::uint32_t object, std::int32_t rank) {
    state_.place(object, rank);
    if (state_.fits(rank)) return true;
    state_.take(object);
    return false;
  }

  void fill(std::int32_t rank) {
    while (!blocks_.empty()) {
      const auto most = std::prev(blocks_.end());
      if (most->first <= room(rank)) {
        if (!place_part(most, rank)) return;
        continue;
      }
      if (blocks_.begin() != most && blocks_.begin()->first <= room(rank) && fits_with_heaviest(rank)) {
        place_part(blocks_.begin(), rank);
        continue;
      }
      place_part(most, rank);
      return;
    }
  }

  /// Returns whether the lightest block fits and leaves enough memory for the heaviest.
  bool fits_with_heaviest(std::int32_t rank) {
    const std::uint32_t light = objects_of_[blocks_.begin()->second].front();
    const std::uint32_t heavy = objects_of_[heaviest()].front();
    if (!place_if_fits(light, rank)) return false;
    const bool both = place_if_fits(heavy, rank);
    if (both) state_.take(heavy);
    state_.take(light);
    return both;
  }

  /// Places objects of a block while they fit, heaviest first. Returns whether any object was placed.
  bool place_part(Blocks::const_iterator entry, std::int32_t rank) {
    const auto [sum, block] = *entry;
    const bool whole = sum <= room(rank);
    std::vector<std::uint32_t>& objects = objects_of_[block];
    const std::size_t before = objects.size();
    std::erase_if(objects, [&](std::uint32_t object) {
      return (whole || load(object) <= room(rank)) && place_if_fits(object, rank);
    });
    blocks_.erase(entry);
    file(block);
    return objects.size() < before;
  }

  /// Finds the rank with the lowest work that can hold the heaviest object of a block, and places the part of
  /// the block that fits there. Returns whether such a rank exists.
  bool place_on_roomiest(Blocks::const_iterator entry) {
    const std::uint32_t block = entry->second;
    std::vector<std::uint32_t>& objects = objects_of_[block];
    std::int32_t best = WorkState::nowhere;
    for (std::int32_t rank = 0; rank < stats_.count(); ++rank) {
      if (!available(rank) || !place_if_fits(objects.front(), rank)) continue;
      state_.take(objects.front());
      if (best == WorkState::nowhere || state_.work(rank) < state_.work(best)) best = rank;
    }
    if (best == WorkState::nowhere) return false;
    std::erase_if(objects, [&](std::uint32_t object) { return place_if_fits(object, best); });
    blocks_.erase(entry);
    file(block);
    return true;
  }

  bool place_on_least(std::uint32_t object) {
    for (auto entry = by_work_.begin(); entry != by_work_.end(); ++entry) {
      const std::int32_t rank = entry->second;
      if (!place_if_fits(object, rank)) continue;
      by_work_.erase(entry);
      by_work_.insert({state_.work(rank), rank});
      return true;
    }
    return false;
  }

  const LDStats& stats_;
  double level_;
  WorkState state_;
  std::vector<std::vector<std::uint32_t>> objects_of_;  ///< unplaced objects of each block, heaviest first
  std::vector<std::uint32_t> singles_;                  ///< objects without a block, heaviest first
  Blocks blocks_;                                       ///< (load, block) of blocks with unplaced objects
  std::set<std::pair<double, std::int32_t>> by_work_;   ///< available ranks
};

}  // namespace

std::optional<std::vector<std::int32_t>> pack(const LDStats& stats, const WorkGoal& goal, double level) {
  return Packing(stats, goal, level).run();
}

}  // namespace plimsoll::balance
