#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Quantity that a prefix of the migrations should save.
enum class MoveCost { moves, bytes };

/// Returns the objects that migrate to `placement`, in an order whose prefixes are good placements of their
/// size. Objects that have to leave unavailable ranks come first.
///
/// The order is computed backwards, from the complete placement: the migration whose absence harms the score
/// least is taken back next. For the load, each rank takes back its lightest object, and the next rank is the
/// one that finishes first with it. The ranks' maximum loads therefore increase together, and chains of
/// migrations through a full rank stay complete. As long as the load permits, communication scores take back
/// the migration that saves least off-rank bytes. With MoveCost::bytes, harm counts per migrated byte. Cost:
/// O(objects + edges + m log m) for m migrations.
std::vector<std::uint32_t> most_needed_first(const LDStats& stats, const ScoreTerms& terms,
                                             const std::vector<std::int32_t>& placement, MoveCost cost);

}  // namespace plimsoll::balance
