#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Takes back the migrations of a placement whose absence does not worsen the strategy's score, lightest
/// objects first, until each of the others is needed. Returns whether the placement changed.
///
/// Objects do not return to unavailable ranks, nor to ranks whose memory would exceed the limits. A score
/// without terms (ScoreTerms::Kind::own) is computed a limited number of times, so that some needless
/// migrations of large problems remain. Placements of strategies that minimise nothing are unchanged. Cost:
/// O(objects + edges + m log m) for m migrations.
bool take_back_needless_moves(const Strategy& strategy, const Limits& limits, const LDStats& stats,
                              std::vector<std::int32_t>& placement);

}  // namespace plimsoll::balance
