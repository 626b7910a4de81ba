#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/support/version.hpp>

#include "balance/rounds/rank_random.hpp"
#include "balance/strategies/tempered_lb/known_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// How far news spread.
struct GossipReach {
  std::int32_t fanout = 2;      ///< receivers of each message; >= 1
  std::int32_t rounds = 1;      ///< rounds of messages; >= 1
  std::size_t max_known = 128;  ///< maximum number of ranks that a rank knows; >= 1
};

/// News about underloaded ranks, and what each local rank knows of them.
class Gossip {
 public:
  /// The executor and the reach must outlive this object.
  Gossip(RankRounds& rounds, const GossipReach& reach, std::uint64_t seed)
      : rounds_(rounds), reach_(reach), seed_(seed), known_(static_cast<std::size_t>(rounds.local_ranks())) {}

  /// Underloaded ranks make themselves known to random ranks, which pass on what they have learnt. Earlier
  /// news are forgotten. `news(local)` is what a rank tells of itself, empty if it is overloaded. The last
  /// messages arrive in the next round, which calls receive(). Collective.
  void spread(const std::function<std::optional<KnownRank>(std::int32_t local)>& news);
  /// Learns from the last messages. Returns what the rank knows.
  const std::vector<KnownRank>& receive(std::int32_t local, Inbox received);
  const std::vector<KnownRank>& known(std::int32_t local) const {
    return known_[static_cast<std::size_t>(local)];
  }

  /// Starts a round: ranks get other random numbers. Collective.
  void next_step() { ++step_; }
  RankRandom random_of(std::int32_t local) const {
    return random_of_rank(rounds_.first_local_rank() + local);
  }
  /// Returns the random numbers of any rank in this round.
  RankRandom random_of_rank(std::int32_t rank) const { return {seed_, rank, step_}; }

 private:
  std::span<const KnownRank> excerpt(std::span<const KnownRank> known, RankRandom& random) const;
  std::vector<std::int32_t> random_receivers(RankRandom& random, const std::vector<KnownRank>& known,
                                             std::int32_t self) const;

  RankRounds& rounds_;
  const GossipReach& reach_;
  std::uint64_t seed_;
  std::vector<std::vector<KnownRank>> known_;  // of each local rank
  std::uint64_t step_ = 0;                     // number of the round, for random numbers
};

}  // namespace plimsoll::balance
