#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <plimsoll/balance/replicated_stats.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::uint32_t not_copied = std::numeric_limits<std::uint32_t>::max();

/// Returns the position of each object in the order of the numbers.
std::vector<std::uint64_t> places_by_number(const LDStats& stats) {
  std::vector<std::uint32_t> order(stats.numbers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t object) { return stats.numbers[object]; });
  std::vector<std::uint64_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

/// Returns the distance of copies along the first axis, so that these do not overlap. Throws Error (usage) if
/// their coordinates would not be finite.
double distance_of_copies(const LDStats& stats, std::int32_t n_copies) {
  if (stats.positions.empty()) return 0;
  double least = stats.positions[0];
  double most = least;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    least = std::min(least, stats.positions[object * stats.n_axes]);
    most = std::max(most, stats.positions[object * stats.n_axes]);
  }
  const double distance = most - least + 1;
  if (!std::isfinite(most + distance * n_copies))
    throw support::usage_error(
        fmt::format("positions from {} to {} leave no room for {} copies", least, most, n_copies),
        "simulate fewer ranks, or use smaller coordinates");
  return distance;
}

class Replication {
 public:
  Replication(const LDStats& stats, std::int32_t ranks)
      : stats_(stats),
        ranks_(ranks),
        places_(places_by_number(stats)),
        distance_(distance_of_copies(stats, 1 + (ranks - 1) / stats.count())),
        n_nodes_(1 + std::ranges::max(stats.procs, {}, &ProcStats::node).node) {
    for (const LoadDimension& dimension : stats.more_loads)
      result_.more_loads.push_back({.name = dimension.name, .of_object = {}});
    result_.subphases.count = stats.subphases.count;
    result_.n_axes = stats.n_axes;
  }

  LDStats run() {
    for (; first_rank_ < ranks_; first_rank_ += stats_.count(), ++copy_) {
      copy_ranks();
      copy_objects();
      copy_edges();
      copy_blocks();
    }
    result_.to_proc = result_.from_proc;
    return std::move(result_);
  }

 private:
  bool is_copied(std::int32_t rank) const { return first_rank_ + rank < ranks_; }

  void copy_ranks() {
    for (std::int32_t rank = 0; rank < stats_.count() && is_copied(rank); ++rank) {
      ProcStats& proc = result_.procs.emplace_back(stats_.procs[at(rank)]);
      if (proc.node >= 0) proc.node += copy_ * n_nodes_;
    }
  }

  void copy_objects() {
    new_index_.assign(stats_.obj_data.size(), not_copied);
    for (std::uint32_t object = 0; object < stats_.obj_data.size(); ++object)
      if (is_copied(stats_.from_proc[object])) copy_object(object);
  }

  void copy_object(std::uint32_t object) {
    if (result_.obj_data.size() >= std::numeric_limits<std::int32_t>::max())
      throw support::usage_error(fmt::format("too many objects on {} simulated ranks: 2^31 or more", ranks_),
                                 "use fewer ranks");
    new_index_[object] = static_cast<std::uint32_t>(result_.obj_data.size());
    result_.obj_data.push_back(stats_.obj_data[object]);
    result_.from_proc.push_back(first_rank_ + stats_.from_proc[object]);
    if (!places_.empty())
      result_.numbers.push_back(places_[object] + static_cast<std::uint64_t>(copy_) * places_.size());
    for (std::size_t k = 0; k < stats_.more_loads.size(); ++k)
      result_.more_loads[k].of_object.push_back(stats_.more_loads[k].of_object[object]);
    for (std::uint32_t subphase = 0; subphase < stats_.subphases.count; ++subphase)
      result_.subphases.loads.push_back(stats_.subphases.loads[object * stats_.subphases.count + subphase]);
    if (!stats_.memory.empty()) {
      ObjMemory& memory = result_.memory.emplace_back(stats_.memory[object]);
      if (memory.block != ObjMemory::no_block)
        memory.block += static_cast<std::uint32_t>(copy_) * static_cast<std::uint32_t>(stats_.blocks.size());
    }
    if (stats_.positions.empty()) return;
    for (std::size_t axis = 0; axis < stats_.n_axes; ++axis)
      result_.positions.push_back(stats_.position(object)[axis] + (axis == 0 ? copy_ * distance_ : 0));
  }

  void copy_edges() {
    for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
      LDCommData comm = stats_.comm_data[edge];
      if (!renumber(comm.sender) || !renumber(comm.receiver)) continue;
      result_.comm_data.push_back(comm);
      if (!stats_.comm_categories.empty()) result_.comm_categories.push_back(stats_.comm_categories[edge]);
    }
  }

  /// Returns whether this copy has the end of the edge.
  bool renumber(CommEnd& end) const {
    if (!end.is_object()) {
      const auto rank = static_cast<std::int32_t>(end.index());
      end = CommEnd::processor(static_cast<std::uint32_t>(first_rank_ + rank));
      return is_copied(rank);
    }
    const std::uint32_t index = new_index_[end.index()];
    if (index == not_copied) return false;
    end = CommEnd::object(index);
    return true;
  }

  void copy_blocks() {
    for (SharedBlock block : stats_.blocks) {
      block.home = is_copied(block.home) ? first_rank_ + block.home : first_rank_;
      result_.blocks.push_back(block);
    }
  }

  const LDStats& stats_;
  std::int32_t ranks_;
  std::vector<std::uint64_t> places_;  // of the objects, by number
  double distance_;
  std::int32_t n_nodes_;
  std::int32_t copy_ = 0;
  std::int32_t first_rank_ = 0;           // of the current copy
  std::vector<std::uint32_t> new_index_;  // of each object in the current copy
  LDStats result_;
};

}  // namespace

LDStats replicated(const LDStats& stats, std::int64_t ranks) {
  if (stats.procs.empty() || ranks < stats.count())
    throw support::usage_error(
        fmt::format("invalid number of simulated ranks {}: the data have {}", ranks, stats.count()),
        stats.procs.empty() ? "" : fmt::format("use {} or more", stats.count()));
  constexpr std::int64_t max_ranks = std::int64_t{1} << 24;
  if (ranks > max_ranks)
    throw support::usage_error(fmt::format("too many simulated ranks: {}", ranks),
                               fmt::format("use {} or fewer", max_ranks));
  return Replication(stats, static_cast<std::int32_t>(ranks)).run();
}

}  // namespace plimsoll::balance
