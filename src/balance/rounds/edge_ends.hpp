#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Cost of the edges of a rank. Those of two objects count half, because both have them.
struct EdgeCosts {
  double all = 0;              ///< cost of all edges, and of those between ends that stay
  double off_rank_before = 0;  ///< cost of the edges between two ranks before balancing
  double off_rank = 0;         ///< the same with LocalObject::new_rank
};

/// Knows for each edge of the local ranks where its other end is, while LocalObject::new_rank changes.
class EdgeEnds {
 public:
  /// An edge costs its bytes, and `per_message` for each message. The ranks must outlive this object.
  EdgeEnds(RankRounds& rounds, std::span<const LocalRank> ranks, double per_message);

  /// Tells the initial ranks of neighbours where objects have moved since the last call. Collective: two
  /// rounds. O(edges of these objects log edges).
  void update();

  /// Returns the rank of the other end, as of the last update().
  std::int32_t rank_of(std::int32_t local, const LocalEdge& edge) const;
  double cost(const LocalEdge& edge) const { return edge.bytes + per_message_ * edge.messages; }
  /// Returns the costs of a local rank. Throws Error (usage) if they are not finite.
  EdgeCosts costs(std::int32_t local) const;

 private:
  void set_rank(std::int32_t local, std::uint64_t object, std::uint64_t neighbor, std::int32_t rank);

  RankRounds& rounds_;
  std::span<const LocalRank> ranks_;
  double per_message_;
  std::vector<std::vector<std::int32_t>> ends_;  // of each edge of each local rank
  std::vector<std::vector<std::int32_t>> told_;  // rank of each object at the last update()
};

}  // namespace plimsoll::balance
