#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <optional>
#include <queue>
#include <set>
#include <span>

#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/partition/free_objects.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/strategies/refine_lb/pair_search.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Number of splits of two ranks to try if single migrations and swaps miss the tolerance. Few ranks form few
// pairs, and an unreachable tolerance should not cost more than the partitioning.
constexpr std::uint64_t splits_per_rank = 300;
constexpr std::uint64_t max_splits = 20'000;

constexpr int max_rounds = 10;
// Number of migrations without improvement after which a round ends. Larger values gain nothing.
constexpr std::size_t patience = 50;
// Number of neighbours above which the gain of a vertex is only updated when its turn comes, because each
// update takes time proportional to it.
constexpr std::size_t many_neighbors = 256;

/// Refines a partition by migrating single objects between parts that are labelled by rank. First it migrates
/// objects until no part exceeds its capacity. Then it reduces the traffic between parts, including ties to
/// ranks. Partitioners have a similar last step. Unlike them, this class uses the exact loads, the
/// non-migratable objects, and the objects' current ranks.
class PartRefiner {
 public:
  PartRefiner(const LDStats& stats, const FreeObjects& free, const RankTargets& targets, Partition& parts)
      : free_(free),
        targets_(targets),
        parts_(parts),
        n_dimensions_(at(targets.shares.n_dimensions)),
        part_of_rank_(stats.procs.size(), -1),
        loads_(targets.rooms.size(), 0.0),
        connection_(at(targets.n_parts()), 0) {
    PLIMSOLL_EXPECT(parts.size() == free.object.size());
    for (std::size_t part = 0; part < targets.ranks.size(); ++part)
      part_of_rank_[at(targets.ranks[part])] = static_cast<std::int32_t>(part);
    home_.reserve(parts.size());
    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
      home_.push_back(part_of_rank_[at(stats.from_proc[free.object[vertex]])]);
      for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
        part_load(parts[vertex])[dimension] += free.load(vertex)[dimension];
    }
  }

  /// Migrates objects from parts above capacity to a neighbouring part with room, or else to the part with
  /// the most room. Prefers objects that add the smallest traffic per load. Objects that fit into no part
  /// stay. Cost: O(n log n) for the n objects of overfull parts.
  void restore_capacities() {
    for (std::int32_t part = 0; part < targets_.n_parts(); ++part)
      by_load_.insert({relative_load(part), part});
    const auto find_move = [&](std::int32_t vertex) {
      const Move near = best_move(vertex);
      return near.to >= 0 ? near : move_to_most_room(vertex);
    };
    const auto weightless = [&](std::int32_t vertex) {
      return std::ranges::all_of(free_.load(at(vertex)), [](double load) { return load == 0; });
    };
    std::priority_queue<Candidate> candidates;
    for (std::int32_t vertex = 0; vertex < free_.n_vertices(); ++vertex) {
      if (!above_capacity(parts_[at(vertex)]) || weightless(vertex)) continue;
      if (const Move move = find_move(vertex); move.to >= 0) candidates.push(candidate(vertex, move));
    }
    while (!candidates.empty()) {
      const Candidate best = candidates.top();
      candidates.pop();
      if (!above_capacity(parts_[at(best.vertex)])) continue;
      const Move move = find_move(best.vertex);
      if (move.to < 0) continue;
      // Recompute the migration: other migrations may have made it worse.
      const Candidate now = candidate(best.vertex, move);
      if (now.gain_per_load < best.gain_per_load && !candidates.empty() && now < candidates.top()) {
        candidates.push(now);
      } else {
        apply(best.vertex, move.to);
      }
    }
    by_load_.clear();
  }

  /// Migrates objects to the neighbouring part with room that they communicate with most, best migrations
  /// first. It includes migrations that do not change the traffic, as they allow better ones, and undoes
  /// those that lead to none. Ties go to the part of the current rank. Runs at most 10 rounds: the first
  /// takes O(objects + edges), and later rounds only visit migrated objects and their neighbours. Source:
  /// Fiduccia and Mattheyses, "A linear-time heuristic for improving network partitions", 1982.
  void reduce_traffic() {
    std::vector<std::int32_t> to_visit;
    for (std::int32_t vertex = 0; vertex < free_.n_vertices(); ++vertex)
      if (!is_inside(vertex)) to_visit.push_back(vertex);
    for (int round = 0; round < max_rounds && !to_visit.empty(); ++round)
      to_visit = improve_traffic(to_visit);
  }

 private:
  struct Move {
    std::int32_t to = -1;
    std::int64_t gain = 0;  ///< decrease of the weight of edges between parts
  };
  /// Decrease of the traffic, then increase of the number of objects in the part of their current rank.
  struct Gain {
    std::int64_t traffic = 0;
    std::int32_t at_home = 0;
    friend auto operator<=>(const Gain&, const Gain&) = default;
  };
  struct Step {
    Gain gain;
    std::int32_t vertex;
    std::int32_t to;
    bool operator<(const Step& other) const {
      if (gain != other.gain) return gain < other.gain;
      return vertex > other.vertex;
    }
  };
  struct Candidate {
    double gain_per_load;
    std::int32_t vertex;
    bool operator<(const Candidate& other) const {
      if (gain_per_load != other.gain_per_load) return gain_per_load < other.gain_per_load;
      return vertex > other.vertex;
    }
  };

  std::span<double> part_load(std::int32_t part) {
    return std::span(loads_).subspan(at(part) * n_dimensions_, n_dimensions_);
  }

  std::span<const std::int32_t> neighbors(std::int32_t vertex) const {
    const auto row = at(vertex);
    const std::int32_t begin = free_.graph.begin[row];
    return std::span(free_.graph.neighbors).subspan(at(begin), at(free_.graph.begin[row + 1] - begin));
  }

  bool is_inside(std::int32_t vertex) const {
    const std::int32_t here = parts_[at(vertex)];
    return free_.ties_of(at(vertex)).empty() &&
           std::ranges::all_of(neighbors(vertex),
                               [&](std::int32_t neighbor) { return parts_[at(neighbor)] == here; });
  }

  bool fits(std::int32_t vertex, std::int32_t part) {
    const std::span<const double> load = free_.load(at(vertex));
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
      if (part_load(part)[dimension] + load[dimension] >
          targets_.capacities[at(part) * n_dimensions_ + dimension])
        return false;
    return true;
  }

  bool above_capacity(std::int32_t part) {
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
      if (part_load(part)[dimension] >
          targets_.capacities[at(part) * n_dimensions_ + dimension] * (1 + rounding_error))
        return true;
    return false;
  }

  double relative_load(std::int32_t part) {
    double most = 0;
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
      const double capacity = targets_.capacities[at(part) * n_dimensions_ + dimension];
      if (capacity > 0) most = std::max(most, part_load(part)[dimension] / capacity);
    }
    return most;
  }

  void connect(std::int32_t vertex) {
    const auto add = [&](std::int32_t part, std::int32_t weight) {
      std::int64_t& connection = connection_[at(part)];
      if (connection == 0) connected_.push_back(part);
      connection += weight;
    };
    free_.graph.for_each_edge(
        vertex, [&](std::int32_t neighbor, std::int32_t weight) { add(parts_[at(neighbor)], weight); });
    for (const FreeObjects::Tie& tie : free_.ties_of(at(vertex)))
      if (const std::int32_t part = part_of_rank_[at(tie.rank)]; part >= 0) add(part, tie.weight);
  }

  void disconnect() {
    for (const std::int32_t part : connected_) connection_[at(part)] = 0;
    connected_.clear();
  }

  Move best_move(std::int32_t vertex) {
    connect(vertex);
    const std::int32_t here = parts_[at(vertex)];
    const std::int32_t home = home_[at(vertex)];
    Move best;
    for (const std::int32_t part : connected_) {
      const std::int64_t gain = connection_[at(part)] - connection_[at(here)];
      const bool better = best.to < 0 || gain > best.gain || (gain == best.gain && part == home);
      if (part != here && better && fits(vertex, part)) best = {part, gain};
    }
    disconnect();
    return best;
  }

  Move move_to_most_room(std::int32_t vertex) {
    const std::int32_t here = parts_[at(vertex)];
    const std::int32_t to = by_load_.begin()->second;
    if (to == here || !fits(vertex, to)) return {};
    connect(vertex);
    const Move move{to, connection_[at(to)] - connection_[at(here)]};
    disconnect();
    return move;
  }

  Candidate candidate(std::int32_t vertex, const Move& move) const {
    double relative = 0;
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
      if (targets_.heaviest[dimension] > 0)
        relative += free_.load(at(vertex))[dimension] / targets_.heaviest[dimension];
    const auto gain = static_cast<double>(move.gain);
    return {gain > 0 ? gain * relative : gain / relative, vertex};
  }

  std::optional<Step> best_step(std::int32_t vertex) {
    const Move move = best_move(vertex);
    if (move.to < 0 || move.gain < 0) return std::nullopt;
    const auto is_home = [&](std::int32_t part) { return part == home_[at(vertex)] ? 1 : 0; };
    const std::int32_t here = parts_[at(vertex)];
    return Step{{move.gain, is_home(move.to) - is_home(here)}, vertex, move.to};
  }

  /// Runs one round, in which each vertex migrates at most once. Returns the vertices to visit in the next
  /// round: those near the migrated ones.
  std::vector<std::int32_t> improve_traffic(const std::vector<std::int32_t>& to_visit) {
    std::vector<Step> steps;
    for (const std::int32_t vertex : to_visit)
      if (const std::optional<Step> step = best_step(vertex)) steps.push_back(*step);
    std::priority_queue<Step> queue({}, std::move(steps));

    std::vector<std::pair<std::int32_t, std::int32_t>> migrated;  // vertices and their previous parts
    std::vector<bool> done(parts_.size(), false);
    Gain gain;
    Gain best;
    std::size_t n_best = 0;  // number of migrations that lead to the best partition
    while (!queue.empty() && migrated.size() - n_best < patience) {
      const Step queued = queue.top();
      queue.pop();
      const auto row = at(queued.vertex);
      if (done[row]) continue;
      // Recompute the step: other migrations may have made it worse.
      const std::optional<Step> step = best_step(queued.vertex);
      if (!step) continue;
      if (step->gain < queued.gain && !queue.empty() && *step < queue.top()) {
        queue.push(*step);
        continue;
      }
      migrated.emplace_back(step->vertex, parts_[row]);
      done[row] = true;
      apply(step->vertex, step->to);
      gain = {gain.traffic + step->gain.traffic, gain.at_home + step->gain.at_home};
      if (gain > best) {
        best = gain;
        n_best = migrated.size();
      }
      for (const std::int32_t neighbor : neighbors(step->vertex)) {
        if (done[at(neighbor)] || neighbors(neighbor).size() > many_neighbors) continue;
        if (const std::optional<Step> next = best_step(neighbor)) queue.push(*next);
      }
    }
    for (; migrated.size() > n_best; migrated.pop_back())
      apply(migrated.back().first, migrated.back().second);

    std::vector<std::int32_t> near;
    for (const auto& [vertex, part] : migrated) {
      const std::span<const std::int32_t> around = neighbors(vertex);
      near.push_back(vertex);
      near.insert(near.end(), around.begin(), around.end());
    }
    std::ranges::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    return near;
  }

  void apply(std::int32_t vertex, std::int32_t to) {
    const std::int32_t from = parts_[at(vertex)];
    const bool sorted = !by_load_.empty();
    if (sorted)
      for (const std::int32_t part : {from, to}) by_load_.erase({relative_load(part), part});
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
      const double load = free_.load(at(vertex))[dimension];
      part_load(from)[dimension] -= load;
      part_load(to)[dimension] += load;
    }
    parts_[at(vertex)] = to;
    if (sorted)
      for (const std::int32_t part : {from, to}) by_load_.insert({relative_load(part), part});
  }

  const FreeObjects& free_;
  const RankTargets& targets_;
  Partition& parts_;
  std::size_t n_dimensions_;
  std::vector<std::int32_t> part_of_rank_;  ///< part of each rank; -1 without a part
  std::vector<std::int32_t> home_;          ///< part of each vertex's current rank
  std::vector<double> loads_;               ///< loads per part and dimension
  std::vector<std::int64_t> connection_;    ///< edge weight between the current vertex and each part
  std::vector<std::int32_t> connected_;     ///< parts to which the current vertex has edges
  std::set<std::pair<double, std::int32_t>>
      by_load_;  ///< parts by relative_load(), while restoring capacities
};

/// Returns whether to_proc is better than the initial placement.
bool improves(const LDStats& stats, const Strategy& strategy, const RankTargets& targets) {
  const auto meets_target = [&](const std::vector<std::int32_t>& placement) {
    return std::ranges::max(finish_times(stats, placement)) <= targets.latest_finish_s * (1 + rounding_error);
  };
  // Save the time for the traffic if the balance decides, as in most calls.
  const bool one_dimension = targets.shares.n_dimensions == 1;
  if (one_dimension && !meets_target(stats.from_proc) && meets_target(stats.to_proc)) return true;
  return strategy.score(stats, stats.to_proc) < strategy.score(stats, stats.from_proc);
}

Partition present_parts(const LDStats& stats, const FreeObjects& free, const RankTargets& targets) {
  Partition part_of_rank(stats.procs.size());
  for (std::size_t rank = 0; rank < part_of_rank.size(); ++rank)
    part_of_rank[rank] = static_cast<std::int32_t>(rank) % targets.n_parts();
  for (std::int32_t part = 0; part < targets.n_parts(); ++part)
    part_of_rank[at(targets.ranks[at(part)])] = part;
  Partition parts;
  for (const std::uint32_t object : free.object) parts.push_back(part_of_rank[at(stats.from_proc[object])]);
  return parts;
}

}  // namespace

void place_by_partition(LDStats& stats, const Strategy& strategy, double tolerance, bool all_dimensions,
                        const Partitioner& partition) {
  const ProcArray procs(stats);
  procs.require_available();
  const std::size_t n_dimensions = 1 + (all_dimensions ? stats.more_loads.size() : 0);
  const RankTargets targets = rank_targets(stats, procs, tolerance, n_dimensions);
  const FreeObjects free = free_objects(stats, targets.heaviest);
  if (free.n_vertices() == 0) {
    stats.to_proc = stats.from_proc;
    return;
  }

  Partition parts = partition(free.graph, targets.shares, present_parts(stats, free, targets));
  PLIMSOLL_EXPECT(parts.size() == free.object.size());  // also of other modules' partitioners
  parts = relabel(stats, free, targets, parts);
  PartRefiner refiner(stats, free, targets, parts);
  refiner.restore_capacities();
  refiner.reduce_traffic();

  stats.to_proc = stats.from_proc;
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
    stats.to_proc[free.object[vertex]] = targets.ranks[at(parts[vertex])];
  if (n_dimensions == 1) {
    Placement placement(stats, procs, stats.to_proc);
    const double target_s = targets.latest_finish_s * (1 + rounding_error);
    // Try swaps and new splits of two ranks, because single migrations cannot improve further.
    if (placement.max_finish() > target_s) level_by_exchange(placement, target_s);
    if (placement.max_finish() > target_s) {
      const std::uint64_t splits =
          std::min(max_splits, splits_per_rank * static_cast<std::uint64_t>(stats.count()));
      search_pairs(placement, target_s, {.max_splits = splits});
    }
    stats.to_proc = placement.assignment();
  }
  if (!procs.must_evacuate() && !improves(stats, strategy, targets)) stats.to_proc = stats.from_proc;
}

ParameterSpec partition_tolerance() {
  return {"tolerance", 1.005, "target maximum load relative to the average (>= 1)"};
}

}  // namespace plimsoll::balance
