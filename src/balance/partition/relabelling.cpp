#include "balance/partition/relabelling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace plimsoll::balance {

namespace {

constexpr std::size_t most_parts_exactly = 256;
// Balance and traffic matter more than moves.
constexpr double value_of_ties = 2;
constexpr double cost_of_excess = 2;

/// Something of a part that belongs on a rank (an index of targets.ranks).
struct Overlap {
  std::int32_t part = 0;
  std::int32_t rank = 0;
  double value = 0;
};

/// Puts those of the same pair together.
std::vector<Overlap> merged(std::vector<Overlap> overlaps) {
  std::ranges::stable_sort(overlaps, {}, [](const Overlap& o) { return std::pair(o.part, o.rank); });
  std::vector<Overlap> result;
  for (const Overlap& overlap : overlaps) {
    if (!result.empty() && result.back().part == overlap.part && result.back().rank == overlap.rank) {
      result.back().value += overlap.value;
    } else {
      result.push_back(overlap);
    }
  }
  return result;
}

class Relabelling {
 public:
  Relabelling(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
              const Partition& parts)
      : targets_(targets), n_parts_(static_cast<std::size_t>(targets.n_parts())) {
    sum_loads(free, parts);
    find_overlaps(stats, free, parts);
  }

  /// The rank of each part.
  std::vector<std::int32_t> assign() const {
    return n_parts_ <= most_parts_exactly ? assign_exactly() : assign_greedily();
  }

 private:
  void sum_loads(const FreeObjects& free, const Partition& parts) {
    n_dimensions_ = static_cast<std::size_t>(targets_.shares.n_dimensions);
    loads_.assign(n_parts_ * n_dimensions_, 0.0);
    total_loads_.assign(n_dimensions_, 0.0);
    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
      for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
        const double load = free.load(vertex)[dimension];
        loads_[static_cast<std::size_t>(parts[vertex]) * n_dimensions_ + dimension] += load;
        total_loads_[dimension] += load;
      }
  }

  void find_overlaps(const LDStats& stats, const FreeObjects& free, const Partition& parts) {
    std::vector<std::int32_t> index_of(stats.procs.size(), -1);
    for (std::size_t i = 0; i < n_parts_; ++i)
      index_of[static_cast<std::size_t>(targets_.ranks[i])] = static_cast<std::int32_t>(i);

    double total_bytes = 0;
    for (const std::uint32_t object : free.object) total_bytes += stats.migration_bytes(object);
    double total_ties = 0;
    for (const FreeObjects::Tie& tie : free.ties) total_ties += tie.weight;

    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
      const std::uint32_t object = free.object[vertex];
      if (const std::int32_t here = index_of[static_cast<std::size_t>(stats.from_proc[object])]; here >= 0)
        overlaps_.push_back({parts[vertex], here,
                             total_bytes > 0 ? stats.migration_bytes(object) / total_bytes
                                             : 1.0 / static_cast<double>(parts.size())});
      for (const FreeObjects::Tie& tie : free.ties_of(vertex))
        if (const std::int32_t there = index_of[static_cast<std::size_t>(tie.rank)]; there >= 0)
          overlaps_.push_back({parts[vertex], there, value_of_ties * tie.weight / total_ties});
    }
    overlaps_ = merged(std::move(overlaps_));
  }

  /// What it costs that a part is larger than the room of a rank.
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
    for (const Overlap& overlap : overlaps_)
      cost[static_cast<std::size_t>(overlap.part) * n_parts_ + static_cast<std::size_t>(overlap.rank)] -=
          overlap.value;
    return cheapest_assignment(cost);
  }

  /// Shortest augmenting paths: row by row, a row takes a column on the cheapest alternating path to a free
  /// one. Potentials keep reduced costs at 0 or more. Column 0 and row 0 stand for none.
  std::vector<std::int32_t> cheapest_assignment(const std::vector<double>& cost) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t n = n_parts_;
    std::vector<double> row_potential(n + 1, 0.0);
    std::vector<double> column_potential(n + 1, 0.0);
    std::vector<std::size_t> row_of(n + 1, 0);
    for (std::size_t row = 1; row <= n; ++row) {
      std::vector<double> distance(n + 1, infinity);
      std::vector<std::size_t> before(n + 1, 0);
      std::vector<bool> reached(n + 1, false);
      std::size_t column = 0;
      row_of[0] = row;
      do {
        reached[column] = true;
        const std::size_t from = row_of[column];
        std::size_t nearest = 0;
        for (std::size_t next = 1; next <= n; ++next) {
          if (reached[next]) continue;
          const double reduced =
              cost[(from - 1) * n + next - 1] - row_potential[from] - column_potential[next];
          if (reduced < distance[next]) {
            distance[next] = reduced;
            before[next] = column;
          }
          if (nearest == 0 || distance[next] < distance[nearest]) nearest = next;
        }
        const double step = distance[nearest];
        for (std::size_t other = 0; other <= n; ++other) {
          if (reached[other]) {
            row_potential[row_of[other]] += step;
            column_potential[other] -= step;
          } else {
            distance[other] -= step;
          }
        }
        column = nearest;
      } while (row_of[column] != 0);
      for (; column != 0; column = before[column]) row_of[column] = row_of[before[column]];
    }
    std::vector<std::int32_t> rank_of(n);
    for (std::size_t column = 1; column <= n; ++column)
      rank_of[row_of[column] - 1] = static_cast<std::int32_t>(column - 1);
    return rank_of;
  }

  std::vector<std::int32_t> assign_greedily() const {
    std::vector<Overlap> pairs = overlaps_;
    for (Overlap& pair : pairs)
      pair.value -= excess(static_cast<std::size_t>(pair.part), static_cast<std::size_t>(pair.rank));
    std::ranges::stable_sort(pairs, std::ranges::greater(), &Overlap::value);
    std::vector<std::int32_t> rank_of(n_parts_, -1);
    std::vector<bool> taken(n_parts_, false);
    for (const Overlap& pair : pairs) {
      if (pair.value <= 0) break;
      const auto rank = static_cast<std::size_t>(pair.rank);
      if (rank_of[static_cast<std::size_t>(pair.part)] >= 0 || taken[rank]) continue;
      rank_of[static_cast<std::size_t>(pair.part)] = pair.rank;
      taken[rank] = true;
    }
    pair_rest_by_size(rank_of, taken);
    return rank_of;
  }

  void pair_rest_by_size(std::vector<std::int32_t>& rank_of, const std::vector<bool>& taken) const {
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
  std::vector<double> loads_;        ///< of each part in each dimension
  std::vector<double> total_loads_;  ///< in each dimension
  std::vector<Overlap> overlaps_;
};

}  // namespace

Partition relabel(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
                  const Partition& parts) {
  const std::vector<std::int32_t> rank_of = Relabelling(stats, free, targets, parts).assign();
  Partition result;
  result.reserve(parts.size());
  for (const std::int32_t part : parts) result.push_back(rank_of[static_cast<std::size_t>(part)]);
  return result;
}

}  // namespace plimsoll::balance
