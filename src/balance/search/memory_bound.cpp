#include "balance/search/memory_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "balance/search/block_space.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative error of sums, by which a condition may be violated.
constexpr double condition_error = rounding_error;

struct FreeBlock {
  double load_s = 0;
  double bytes = 0;            ///< bytes of a copy
  double least_footprint = 0;  ///< footprint of the smallest of its objects, which each copy needs as well
};

std::vector<double> descending_sums(std::vector<double> values) {
  std::ranges::sort(values, std::greater());
  std::vector<double> sums(values.size() + 1, 0.0);
  std::partial_sum(values.begin(), values.end(), sums.begin() + 1);
  return sums;
}

/// One kind of space, in which every copy of a block has a cost.
class Space {
 public:
  struct Item {
    double load_s = 0;
    double cost = 0;
  };

  /// `of_ranks` is the space of each rank, `total` the space of all ranks.
  Space(std::vector<Item> blocks, std::vector<double> of_ranks, double total)
      : blocks_(std::move(blocks)), of_most_(descending_sums(std::move(of_ranks))), total_(total) {
    std::ranges::stable_sort(blocks_, [](const Item& left, const Item& right) {
      return left.load_s * right.cost > right.load_s * left.cost;
    });
    for (const Item& block : blocks_) {
      loads_.push_back(loads_.back() + block.load_s);
      costs_.push_back(costs_.back() + block.cost);
    }
  }

  /// Returns whether the blocks satisfy both conditions. `rooms` contains the sums of the largest loads that
  /// the ranks can hold.
  bool may_hold(const std::vector<double>& rooms) const {
    double needed = 0;  // space of the blocks after the first h
    std::vector<double> rest(blocks_.size() + 1, 0.0);
    for (std::size_t h = blocks_.size(); h-- > 0;) {
      needed += blocks_[h].cost * copies(blocks_[h].load_s, rooms[1]);
      rest[h] = needed;
    }
    if (needed > total_ * (1 + condition_error)) return false;
    double smallest = infinity;
    for (std::size_t h = 1; h <= blocks_.size(); ++h) {
      smallest = std::min(smallest, blocks_[h - 1].cost);
      const double free = std::max(0.0, total_ * (1 + condition_error) - rest[h] - costs_[h]);
      const double most_ranks = static_cast<double>(h) + (smallest > 0 ? free / smallest : infinity);
      const auto n_ranks = rooms.size() - 1;
      if (most_ranks >= static_cast<double>(n_ranks)) continue;  // the mean is another bound
      if (!may_hold_first(h, static_cast<std::size_t>(most_ranks), rooms)) return false;
    }
    return true;
  }

 private:
  static double copies(double load_s, double most_room) {
    if (load_s == 0) return 1;
    return most_room > 0 ? std::max(1.0, std::ceil(load_s / most_room * (1 - condition_error))) : infinity;
  }

  /// Returns whether at most `most_ranks` ranks may hold the first `h` blocks and all load that fits nowhere
  /// else.
  bool may_hold_first(std::size_t h, std::size_t most_ranks, const std::vector<double>& rooms) const {
    const auto spare_room = [&](std::size_t m) {
      const double elsewhere = most_load(costs_[h] + of_most_[rooms.size() - 1 - m]) - loads_[h];
      return rooms[m] - (loads_.back() - elsewhere);
    };
    // The spare room is a concave function of m.
    std::size_t m = most_ranks;
    while (m > 1 && spare_room(m - 1) > spare_room(m)) --m;
    return spare_room(m) >= -condition_error * loads_.back();
  }

  /// Returns the maximum load of a fractional knapsack with this space.
  double most_load(double space) const {
    const auto beyond = std::ranges::upper_bound(costs_, space) - costs_.begin();
    if (beyond == std::ssize(costs_)) return loads_.back();
    const auto k = static_cast<std::size_t>(beyond);
    return loads_[k - 1] +
           (loads_[k] - loads_[k - 1]) * (space - costs_[k - 1]) / (costs_[k] - costs_[k - 1]);
  }

  std::vector<Item> blocks_;  ///< highest load per cost first
  std::vector<double> of_most_;
  double total_;
  std::vector<double> loads_ = {0};  ///< sums over the first blocks
  std::vector<double> costs_ = {0};
};

/// Returns the shared blocks that only migratable objects use.
std::vector<FreeBlock> free_blocks(const LDStats& stats) {
  std::vector<bool> fixed(stats.blocks.size());
  for (std::size_t object = 0; object < stats.memory.size(); ++object)
    if (!stats.obj_data[object].migratable && stats.memory[object].block != ObjMemory::no_block)
      fixed[stats.memory[object].block] = true;
  const std::vector<std::vector<std::uint32_t>> objects = migratable_by_block(stats);
  std::vector<FreeBlock> blocks;
  for (std::size_t block = 0; block < objects.size(); ++block) {
    if (fixed[block] || objects[block].empty()) continue;
    FreeBlock free{.bytes = stats.blocks[block].bytes, .least_footprint = infinity};
    for (const std::uint32_t object : objects[block]) {
      free.load_s += stats.load_s(object);
      free.least_footprint = std::min(free.least_footprint, stats.memory[object].footprint_bytes);
    }
    blocks.push_back(free);
  }
  return blocks;
}

/// Returns the memory that every migratable object with a shared block needs at least.
ObjectBytes least_object_bytes(const LDStats& stats) {
  ObjectBytes least{infinity, infinity};
  for (std::size_t object = 0; object < stats.memory.size(); ++object) {
    const ObjMemory& memory = stats.memory[object];
    if (!stats.obj_data[object].migratable || memory.block == ObjMemory::no_block) continue;
    least.working = std::min(least.working, memory.working_bytes);
    least.serialized = std::min(least.serialized, memory.serialized_bytes);
  }
  return least;
}

Space count_space(const std::vector<FreeBlock>& blocks, const std::vector<BlockHost>& hosts) {
  std::vector<double> smallest_first;
  std::vector<Space::Item> items;
  for (const FreeBlock& block : blocks) {
    smallest_first.push_back(block.bytes + block.least_footprint);
    items.push_back({block.load_s, 1});
  }
  std::ranges::sort(smallest_first);
  std::partial_sum(smallest_first.begin(), smallest_first.end(), smallest_first.begin());
  std::vector<double> of_ranks;
  for (const BlockHost& host : hosts) {
    const auto fitting = std::ranges::upper_bound(smallest_first, host.bytes) - smallest_first.begin();
    of_ranks.push_back(static_cast<double>(std::min(static_cast<std::size_t>(fitting), host.max_blocks)));
  }
  const double total = std::accumulate(of_ranks.begin(), of_ranks.end(), 0.0);
  return {std::move(items), std::move(of_ranks), total};
}

Space byte_space(const LDStats& stats, const std::vector<FreeBlock>& blocks,
                 const std::vector<BlockHost>& hosts) {
  std::vector<Space::Item> items;
  for (const FreeBlock& block : blocks)
    if (block.bytes > 0) items.push_back({block.load_s, block.bytes});
  std::vector<double> of_ranks;
  double total = 0;
  for (const BlockHost& host : hosts) {
    of_ranks.push_back(host.bytes);
    total += host.bytes;
  }
  for (std::size_t object = 0; object < stats.memory.size(); ++object)
    if (stats.obj_data[object].migratable && stats.memory[object].block != ObjMemory::no_block)
      total -= stats.memory[object].footprint_bytes;
  return {std::move(items), std::move(of_ranks), std::max(0.0, total)};
}

}  // namespace

double max_work_lower_bound(const LDStats& stats, const WorkGoal& goal) {
  const double without_limits = work_bound_without_limits(stats, goal);
  if (stats.memory.empty() || (!goal.limits.limit_memory() && goal.max_blocks < 0)) return without_limits;
  const std::vector<FreeBlock> blocks = free_blocks(stats);
  if (blocks.empty()) return without_limits;
  const std::vector<BlockHost> hosts = block_hosts(stats, goal, least_object_bytes(stats));
  if (hosts.empty() || std::ranges::count(hosts, 0.0, &BlockHost::slope) > 0) return without_limits;
  const std::vector<Space> spaces = {count_space(blocks, hosts), byte_space(stats, blocks, hosts)};

  const auto may_reach = [&](double work) {
    std::vector<double> rooms;
    for (const BlockHost& host : hosts) rooms.push_back(host.room(work));
    rooms = descending_sums(std::move(rooms));
    return std::ranges::all_of(spaces, [&](const Space& space) { return space.may_hold(rooms); });
  };
  if (without_limits == 0 || may_reach(without_limits)) return without_limits;
  double load_s = 0;
  for (const FreeBlock& block : blocks) load_s += block.load_s;
  double impossible = without_limits;
  double possible = 0;  // work with which each rank can hold all load
  for (const BlockHost& host : hosts) possible = std::max(possible, host.base + host.slope * load_s);
  if (!may_reach(possible)) return without_limits;  // no placement is within the limits
  while (possible - impossible > rounding_error * possible) {
    const double middle = impossible + (possible - impossible) / 2;
    (may_reach(middle) ? possible : impossible) = middle;
  }
  return impossible;
}

}  // namespace plimsoll::balance
