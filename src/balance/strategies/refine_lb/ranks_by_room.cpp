#include "balance/strategies/refine_lb/ranks_by_room.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

RanksByRoom::RanksByRoom(RankObjects& ranks, double target_s) : ranks_(ranks), target_s_(target_s) {
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank) insert(rank);
}

void RanksByRoom::move(std::uint32_t from, const Item& item, std::uint32_t to) {
  // Copy the item: it may be an element of the list that changes.
  const Item moved = item;
  const Items& own = ranks_.items(from);
  erase(from);
  erase(to);
  ranks_.move(from, static_cast<std::size_t>(std::ranges::lower_bound(own, moved) - own.begin()), to);
  insert(from);
  insert(to);
}

void RanksByRoom::insert(std::uint32_t rank) {
  if (!ranks_.available(rank)) return;
  const double of_rank = room(rank);
  total_excess_ -= std::min(of_rank, 0.0);
  if (of_rank < 0) overloaded_.insert({of_rank, rank});
  if (of_rank > 0) underloaded_.insert({of_rank, rank});
}

void RanksByRoom::erase(std::uint32_t rank) {
  if (!ranks_.available(rank)) return;
  const double of_rank = room(rank);
  total_excess_ += std::min(of_rank, 0.0);
  (of_rank < 0 ? overloaded_ : underloaded_).erase({of_rank, rank});
}

}  // namespace plimsoll::balance
