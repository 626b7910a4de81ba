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

/// Sets LocalObject::new_rank of all objects to their initial ranks.
void keep_all_objects(const RankRounds& rounds, std::span<LocalRank> ranks);

/// Takes migrations back until each of the others is needed: objects stay if `terms`, which are those of
/// score_of(), are then at most as high. With `keeps_shape`, all migrations are needed. All objects stay if
/// the terms would not be lower than before. Does nothing for other terms than ScoreTerms::Kind::load, of the
/// first dimension, and communication. Collective.
///
/// Each rank decides about its own objects, the lightest first. Ranks that lose objects may then take back
/// more in the next pass. O(passes (n log n + edges of these objects)) for n migrations of a rank.
void keep_needed_migrations(RankRounds& rounds, const ScoreTerms& terms, bool keeps_shape,
                            std::span<LocalRank> ranks);

/// Returns whether the terms are higher than before all migrations. Collective.
bool are_harmful(RankRounds& rounds, const ScoreTerms& terms, std::span<LocalRank> ranks);

}  // namespace plimsoll::balance
