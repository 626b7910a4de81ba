#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Object of a rank, as that rank knows it: the position in LocalRank::objects.
struct ObjectOrigin {
  std::int32_t rank = 0;
  std::uint32_t position = 0;
};

/// Sets LocalObject::new_rank of objects that ranks have handed over to each other. `held` contains the
/// objects that each local rank has at the end. Collective: two rounds.
void tell_origins(RankRounds& rounds, std::span<std::vector<ObjectOrigin>> held, std::span<LocalRank> ranks);

/// Takes migrations back until each of the others is needed: objects stay if their rank then finishes no
/// later than the last rank. All objects stay if the last rank would not finish earlier than before.
/// Collective.
///
/// Each rank decides about its own objects, the lightest first. Ranks that lose objects may then take back
/// more in the next pass. O(passes + n log n) for n migrations of a rank.
void keep_needed_migrations(RankRounds& rounds, std::span<LocalRank> ranks);

}  // namespace plimsoll::balance
