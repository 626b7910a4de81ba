#include "balance/strategies/tempered_lb/gossip.hpp"

#include <algorithm>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

void Gossip::spread(const std::function<std::optional<KnownRank>(std::int32_t local)>& news) {
  for (std::int32_t round = 0; round < reach_.rounds; ++round) {
    next_step();
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      std::vector<KnownRank>& known = known_[at(local)];
      if (round == 0) {
        known.clear();
        const std::optional<KnownRank> own = news(local);
        if (!own) return;
        known.push_back(*own);
      } else if (!learn(known, received, reach_.max_known)) {
        return;
      }
      RankRandom random = random_of(local);
      outbox.send(random_receivers(random, known, rounds_.first_local_rank() + local),
                  excerpt(known, random));
    });
  }
}

const std::vector<KnownRank>& Gossip::receive(std::int32_t local, Inbox received) {
  learn(known_[at(local)], received, reach_.max_known);
  return known_[at(local)];
}

/// Returns consecutive entries of `known`, as many as one message may contain: with a quarter of max_known,
/// ranks that receive several messages still learn enough, and the messages need less memory.
std::span<const KnownRank> Gossip::excerpt(std::span<const KnownRank> known, RankRandom& random) const {
  const std::size_t size = std::min(known.size(), std::max<std::size_t>(reach_.max_known / 4, 1));
  const auto begin = random.below(static_cast<std::int32_t>(known.size() - size + 1));
  return known.subspan(at(begin), size);
}

/// Returns up to `fanout` other ranks that are not known to be underloaded, without duplicates.
std::vector<std::int32_t> Gossip::random_receivers(RankRandom& random, const std::vector<KnownRank>& known,
                                                   std::int32_t self) const {
  const std::int32_t ranks = rounds_.ranks();
  const auto is_known = [&](std::int32_t rank) {
    return rank == self || std::ranges::find(known, rank, &KnownRank::rank) != known.end();
  };
  std::vector<std::int32_t> receivers;
  if (reach_.fanout >= ranks - 1) {
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      if (!is_known(rank)) receivers.push_back(rank);
    return receivers;
  }
  // If almost all ranks are known, some receivers may not be found.
  for (std::int32_t trial = 0; trial < 4 * reach_.fanout; ++trial) {
    const std::int32_t rank = random.below(ranks);
    if (is_known(rank) || std::ranges::find(receivers, rank) != receivers.end()) continue;
    receivers.push_back(rank);
    if (std::ssize(receivers) == reach_.fanout) break;
  }
  return receivers;
}

}  // namespace plimsoll::balance
