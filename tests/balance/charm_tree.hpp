#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

// Models of three strategies of Charm++ 7's TreeLB, written from the description of their algorithms, as
// references for few migrations. As there, loads are of type float.

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

class CharmTree {
 public:
  explicit CharmTree(const LDStats& stats) : n_procs_(stats.procs.size()), from_(stats.from_proc) {
    for (const LDObjData& object : stats.obj_data) load_.push_back(static_cast<float>(object.walltime));
    by_load_.resize(load_.size());
    std::iota(by_load_.begin(), by_load_.end(), 0);
  }

  /// Heaviest objects first, each on the least loaded rank. Returns the maximum load.
  float greedy(std::vector<std::int32_t>& to) {
    sort();
    std::priority_queue<Rank, std::vector<Rank>, std::greater<>> ranks;
    for (std::size_t rank = 0; rank < n_procs_; ++rank) ranks.push({0, static_cast<std::int32_t>(rank)});
    float max = 0;
    to.resize(load_.size());
    for (const std::uint32_t object : by_load_) {
      auto [load, rank] = ranks.top();
      ranks.pop();
      load += load_[object];
      max = std::max(max, load);
      ranks.push({load, rank});
      to[object] = rank;
    }
    return max;
  }

  /// Keeps objects, heaviest first, while their rank stays within Greedy's maximum.
  std::vector<std::int32_t> greedy_refine() {
    std::vector<std::int32_t> to;
    float max = greedy(to);
    std::vector<float> of_rank(n_procs_, 0);
    std::priority_queue<Rank, std::vector<Rank>, std::greater<>> ranks;  // with outdated entries
    for (std::size_t rank = 0; rank < n_procs_; ++rank) ranks.push({0, static_cast<std::int32_t>(rank)});
    for (const std::uint32_t object : by_load_) {
      std::int32_t rank = from_[object];
      if (of_rank[static_cast<std::size_t>(rank)] + load_[object] > max) {
        while (ranks.top().first != of_rank[static_cast<std::size_t>(ranks.top().second)]) ranks.pop();
        rank = ranks.top().second;
      }
      to[object] = rank;
      float& load = of_rank[static_cast<std::size_t>(rank)];
      load += load_[object];
      max = std::max(max, load);
      ranks.push({load, rank});
    }
    return to;
  }

  /// Searches the lowest target from Greedy's maximum to 1.5 times this value that single migrations reach.
  std::vector<std::int32_t> refine_a() {
    std::vector<std::int32_t> to;
    float lower = greedy(to);
    float upper = 1.5f * lower;
    std::vector<std::int32_t> best = from_;
    float best_max = max_of(from_);
    while (upper / lower > 1.01f) {
      const float middle = (lower + upper) / 2;
      const auto [reached, placement] = refine_to(middle);
      const float max = max_of(placement);
      if (max < best_max) {
        best_max = max;
        best = placement;
      }
      (reached ? upper : lower) = middle;
    }
    return best;
  }

 private:
  using Rank = std::pair<float, std::int32_t>;

  /// List of ranks with their loads, as a tree of minimum loads.
  class LightRanks {
   public:
    explicit LightRanks(std::size_t max_size)
        : first_leaf_(std::bit_ceil(max_size)), min_(2 * first_leaf_, no_load) {}

    void append(Rank rank) {
      set(ranks_.size(), rank.first);
      ranks_.push_back(rank.second);
    }

    float min_load() const { return min_[1]; }

    /// Adds a load to the first rank that then stays within the target, and returns this rank.
    std::int32_t add_to_first(float load, float target) {
      std::size_t node = 1;
      while (node < first_leaf_) {
        node *= 2;
        if (min_[node] + load > target) ++node;
      }
      set(node - first_leaf_, min_[node] + load);
      return ranks_[node - first_leaf_];
    }

   private:
    static constexpr float no_load = std::numeric_limits<float>::infinity();

    void set(std::size_t position, float load) {
      std::size_t node = first_leaf_ + position;
      min_[node] = load;
      while (node /= 2) min_[node] = std::min(min_[2 * node], min_[2 * node + 1]);
    }

    std::size_t first_leaf_;
    std::vector<float> min_;  ///< of the root, at 1; of the children of node n, at 2 n and 2 n + 1
    std::vector<std::int32_t> ranks_;
  };

  void sort() {
    std::ranges::sort(by_load_, [&](std::uint32_t a, std::uint32_t b) {
      return load_[a] != load_[b] ? load_[a] > load_[b] : a < b;
    });
  }
  float max_of(const std::vector<std::int32_t>& placement) const {
    const std::vector<float> loads = loads_of(placement);
    return *std::ranges::max_element(loads);
  }
  std::vector<float> loads_of(const std::vector<std::int32_t>& placement) const {
    std::vector<float> loads(n_procs_, 0);
    for (std::size_t object = 0; object < placement.size(); ++object)
      loads[static_cast<std::size_t>(placement[object])] += load_[object];
    return loads;
  }

  std::pair<bool, std::vector<std::int32_t>> refine_to(float target) {
    std::vector<std::int32_t> to = from_;
    std::vector<float> loads = loads_of(from_);
    std::vector<std::vector<std::uint32_t>> objects(n_procs_);  // heaviest first
    for (const std::uint32_t object : by_load_)
      objects[static_cast<std::size_t>(from_[object])].push_back(object);
    std::priority_queue<Rank> heavy;
    LightRanks light(n_procs_);
    for (std::size_t rank = 0; rank < n_procs_; ++rank) {
      const auto id = static_cast<std::int32_t>(rank);
      if (loads[rank] > target)
        heavy.push({loads[rank], id});
      else
        light.append({loads[rank], id});
    }
    while (!heavy.empty()) {
      auto [load, donor] = heavy.top();
      heavy.pop();
      std::vector<std::uint32_t>& own = objects[static_cast<std::size_t>(donor)];
      const auto fits = std::ranges::partition_point(
          own, [&](std::uint32_t object) { return light.min_load() + load_[object] > target; });
      if (fits == own.end()) return {false, to};
      to[*fits] = light.add_to_first(load_[*fits], target);
      load -= load_[*fits];
      own.erase(fits);
      if (load > target)
        heavy.push({load, donor});
      else
        light.append({load, donor});
    }
    return {true, to};
  }

  std::size_t n_procs_;
  const std::vector<std::int32_t>& from_;
  std::vector<float> load_;
  std::vector<std::uint32_t> by_load_;
};

}  // namespace plimsoll::balance::testing
