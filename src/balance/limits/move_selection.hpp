#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Score of placements, as searches use it: by terms, or by a function without known terms.
struct ScoreFunction {
  ScoreTerms terms;
  /// Computes the score of a placement; used for ScoreTerms::Kind::own only.
  std::function<Score(const std::vector<std::int32_t>&)> own;

  explicit ScoreFunction(const ScoreTerms& of_terms) : terms(of_terms) {}
};

/// Returns a part of the migrations to `placement` that satisfies the limits, with the best score; of equal
/// ones, the part with fewest migrations. Primary scores below `target` count as equal. The parts are the
/// prefixes of most_needed_first(), which does not depend on the limits on migrations and bytes: higher
/// limits add candidates, so they never worsen the score. Throws Error (usage) if the objects on unavailable
/// processors do not fit.
///
/// Cost: O(objects + edges + m log m) for m migrations. Scores without terms are computed for a limited
/// number of prefixes, whose lengths do not depend on the limits either.
std::vector<std::int32_t> best_part_within(const Limits& limits, const LDStats& stats,
                                           const ScoreFunction& score, double target,
                                           const std::vector<std::int32_t>& placement);

}  // namespace plimsoll::balance
