#pragma once

#include <cstdint>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include <plimsoll/balance/partition_graph.hpp>

#include "balance/partition/free_objects.hpp"
#include "balance/partition/rank_targets.hpp"

namespace plimsoll::inline v0_1::balance {

/// Moves single objects between parts that are labelled by rank: first until no part is above its capacity,
/// then as long as that lowers the traffic between parts (ties to ranks count). What partitioners do last,
/// but with the exact loads and with what they know nothing of: sentinels, and where objects are now.
class PartRefiner {
 public:
  /// All must outlive this. O(objects).
  PartRefiner(const LDStats& stats, const FreeObjects& free, const RankTargets& targets, Partition& parts);

  /// Takes from parts above capacity what adds least traffic for its load, to a part that has room: a
  /// neighbour, or else the one with most room. Leaves what fits nowhere. O(n log n) for the n objects of
  /// those parts.
  void restore_capacities();
  /// Moves objects to the neighbouring part that they say most to, if it has room; of equal ones that
  /// where they are now. At most 10 rounds, of O(objects + edges) the first and the neighbours of what moved
  /// the others.
  void reduce_traffic();

 private:
  /// Where an object would go.
  struct Move {
    std::int32_t to = -1;
    std::int64_t gain = 0;  ///< by which the weight of edges between parts falls
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
  bool is_inside(std::int32_t vertex) const;
  bool fits(std::int32_t vertex, std::int32_t part);
  bool above_capacity(std::int32_t part);
  double relative_load(std::int32_t part);
  void connect(std::int32_t vertex);
  void disconnect();
  Move best_move(std::int32_t vertex);
  Move move_to_most_room(std::int32_t vertex);
  Candidate candidate(std::int32_t vertex, const Move& move) const;
  void apply(std::int32_t vertex, std::int32_t to);

  const FreeObjects& free_;
  const RankTargets& targets_;
  Partition& parts_;
  std::size_t n_dimensions_;
  std::vector<std::int32_t> part_of_rank_;  ///< -1 for ranks without a part
  std::vector<std::int32_t> home_;          ///< the part of each vertex' present rank
  std::vector<double> loads_;               ///< of each part in each dimension
  std::vector<std::int64_t> connection_;    ///< of the vertex at hand with each part
  std::vector<std::int32_t> connected_;     ///< parts with a connection
  std::set<std::pair<double, std::int32_t>>
      by_load_;  ///< parts by relative_load(), while capacities are restored
};

}  // namespace plimsoll::balance
