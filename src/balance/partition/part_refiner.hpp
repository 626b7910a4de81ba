#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include <plimsoll/balance/place_by_partition.hpp>

#include "balance/partition/free_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Refines a partition by migrating single objects between parts that are labelled by rank. First it migrates
/// objects until no part exceeds its capacity. Then it reduces the traffic between parts, including ties to
/// ranks. Partitioners have a similar last step. Unlike them, this class uses the exact loads, the
/// non-migratable objects, and the objects' current ranks.
class PartRefiner {
 public:
  /// Requires that all arguments outlive this object. Cost: O(objects).
  PartRefiner(const LDStats& stats, const FreeObjects& free, const RankTargets& targets, Partition& parts);

  /// Migrates objects from parts above capacity to a neighbouring part with room, or else to the part with
  /// the most room. Prefers objects that add the smallest traffic per load. Objects that fit into no part
  /// stay. Cost: O(n log n) for the n objects of overfull parts.
  void restore_capacities();
  /// Migrates objects to the neighbouring part with room that they communicate with most, best migrations
  /// first. It includes migrations that do not change the traffic, as they allow better ones, and undoes
  /// those that lead to none. Ties go to the part of the current rank. Runs at most 10 rounds: the first
  /// takes O(objects + edges), and later rounds only visit migrated objects and their neighbours. Source:
  /// Fiduccia and Mattheyses, "A linear-time heuristic for improving network partitions", 1982.
  void reduce_traffic();

 private:
  /// Destination of an object.
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

  std::span<double> part_load(std::int32_t part);
  std::span<const std::int32_t> neighbors(std::int32_t vertex) const;
  bool is_inside(std::int32_t vertex) const;
  bool fits(std::int32_t vertex, std::int32_t part);
  bool above_capacity(std::int32_t part);
  double relative_load(std::int32_t part);
  void connect(std::int32_t vertex);
  void disconnect();
  Move best_move(std::int32_t vertex);
  Move move_to_most_room(std::int32_t vertex);
  Candidate candidate(std::int32_t vertex, const Move& move) const;
  std::optional<Step> best_step(std::int32_t vertex);
  std::vector<std::int32_t> improve_traffic(const std::vector<std::int32_t>& to_visit);
  void apply(std::int32_t vertex, std::int32_t to);

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

}  // namespace plimsoll::balance
