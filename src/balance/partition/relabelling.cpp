#include <algorithm>

#include "balance/partition/free_objects.hpp"
#include "balance/search/assignment.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t max_parts_exactly = 256;
// Weights of ties and of excess load, relative to the weight of objects that stay: balance and traffic matter
// more than migrations.
constexpr double value_of_ties = 2;
constexpr double cost_of_excess = 2;

class Relabelling {
 public:
  Relabelling(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
              const Partition& parts)
      : targets_(targets), n_parts_(at(targets.n_parts())) {
    sum_loads(free, parts);
    find_overlaps(stats, free, parts);
  }

  std::vector<std::int32_t> assign() const {
    return n_parts_ <= max_parts_exactly ? assign_exactly() : assign_greedily();
  }

 private:
  void sum_loads(const FreeObjects& free, const Partition& parts) {
    n_dimensions_ = at(targets_.shares.n_dimensions);
    loads_.assign(n_parts_ * n_dimensions_, 0.0);
    total_loads_.assign(n_dimensions_, 0.0);
    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
      for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
        const double load = free.load(vertex)[dimension];
        loads_[at(parts[vertex]) * n_dimensions_ + dimension] += load;
        total_loads_[dimension] += load;
      }
  }

  void find_overlaps(const LDStats& stats, const FreeObjects& free, const Partition& parts) {
    std::vector<std::int32_t> index_of(stats.procs.size(), -1);
    for (std::size_t i = 0; i < n_parts_; ++i) index_of[at(targets_.ranks[i])] = static_cast<std::int32_t>(i);

    double total_bytes = 0;
    for (const std::uint32_t object : free.object) total_bytes += stats.migration_bytes(object);
    double total_ties = 0;
    for (const FreeObjects::Tie& tie : free.ties) total_ties += tie.weight;

    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
      const std::uint32_t object = free.object[vertex];
      if (const std::int32_t here = index_of[at(stats.from_proc[object])]; here >= 0)
        add_overlap({parts[vertex], here,
                     total_bytes > 0 ? stats.migration_bytes(object) / total_bytes
                                     : 1.0 / static_cast<double>(parts.size())});
      for (const FreeObjects::Tie& tie : free.ties_of(vertex))
        if (const std::int32_t there = index_of[at(tie.rank)]; there >= 0)
          add_overlap({parts[vertex], there, value_of_ties * tie.weight / total_ties});
    }
    overlaps_ = merged(std::move(overlaps_));
  }

  /// Adds to the last overlap if it is of the same pair, as it often is: fewer overlaps are faster to sort.
  void add_overlap(const Pairing& overlap) {
    if (!overlaps_.empty() && overlaps_.back().row == overlap.row &&
        overlaps_.back().column == overlap.column)
      overlaps_.back().value += overlap.value;
    else
      overlaps_.push_back(overlap);
  }

  double excess(std::size_t part, std::size_t rank) const {
    double most = 0;
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
      if (total_loads_[dimension] > 0)
        most = std::max(most, (loads_[part * n_dimensions_ + dimension] -
                               targets_.rooms[rank * n_dimensions_ + dimension]) /
                                  total_loads_[dimension]);
    return cost_of_excess * most;
  }

  std::vector<std::int32_t> assign_exactly() const {
    std::vector<double> cost(n_parts_ * n_parts_);
    for (std::size_t part = 0; part < n_parts_; ++part)
      for (std::size_t rank = 0; rank < n_parts_; ++rank) cost[part * n_parts_ + rank] = excess(part, rank);
    for (const Pairing& overlap : overlaps_)
      cost[at(overlap.row) * n_parts_ + at(overlap.column)] -= overlap.value;
    return cheapest_assignment(cost, n_parts_);
  }

  std::vector<std::int32_t> assign_greedily() const {
    std::vector<Pairing> pairs = overlaps_;
    for (Pairing& pair : pairs) pair.value -= excess(at(pair.row), at(pair.column));
    std::vector<std::int32_t> rank_of = greedy_assignment(std::move(pairs), n_parts_);
    pair_rest_by_size(rank_of);
    return rank_of;
  }

  void pair_rest_by_size(std::vector<std::int32_t>& rank_of) const {
    std::vector<bool> taken(n_parts_, false);
    for (const std::int32_t rank : rank_of)
      if (rank >= 0) taken[at(rank)] = true;
    std::vector<std::size_t> parts;
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < n_parts_; ++i) {
      if (rank_of[i] < 0) parts.push_back(i);
      if (!taken[i]) ranks.push_back(i);
    }
    std::ranges::stable_sort(parts, {}, [&](std::size_t part) { return loads_[part * n_dimensions_]; });
    std::ranges::stable_sort(ranks, {},
                             [&](std::size_t rank) { return targets_.rooms[rank * n_dimensions_]; });
    for (std::size_t i = 0; i < parts.size(); ++i) rank_of[parts[i]] = static_cast<std::int32_t>(ranks[i]);
  }

  const RankTargets& targets_;
  std::size_t n_parts_;
  std::size_t n_dimensions_ = 1;
  std::vector<double> loads_;        ///< loads per part and dimension
  std::vector<double> total_loads_;  ///< total load per dimension
  std::vector<Pairing> overlaps_;    ///< overlaps of parts (rows) with indices of targets.ranks (columns)
};

}  // namespace

Partition relabel(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
                  const Partition& parts) {
  const std::vector<std::int32_t> rank_of = Relabelling(stats, free, targets, parts).assign();
  Partition result;
  result.reserve(parts.size());
  for (const std::int32_t part : parts) result.push_back(rank_of[at(part)]);
  return result;
}

}  // namespace plimsoll::balance
