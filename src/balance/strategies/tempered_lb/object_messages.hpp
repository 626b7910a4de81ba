#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Sends objects to their new rank, in two messages.
void send_objects(std::span<const WorkObject> objects, std::int32_t receiver, Outbox& outbox);
/// Adds the objects of messages that send_objects() has sent.
void add_objects(Inbox received, WorkRank& rank);

/// Removes the objects for which `leaves` is set, and returns them. Both keep their order.
std::vector<WorkObject> take_objects(WorkRank& rank, const std::vector<bool>& leaves);

/// Sets the rank and node of the other end of all edges. The first rank of each object keeps account of its
/// place: holders report it there, and ranks with edges ask. Collective: three rounds.
void update_places(RankRounds& rounds, std::span<WorkRank> ranks);

}  // namespace plimsoll::balance
