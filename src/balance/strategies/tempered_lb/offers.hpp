#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/support/version.hpp>

#include "balance/rounds/rank_random.hpp"
#include "balance/strategies/tempered_lb/known_ranks.hpp"
#include "balance/strategies/tempered_lb/tempered.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Finish time of an unavailable rank that has objects.
inline constexpr double infinite_finish = std::numeric_limits<double>::infinity();

/// Object that an overloaded rank hands over unless the receiver refuses it.
struct Offer {
  RankObject object;
  /// When the sender finishes if of all its offers, only this one is refused. Infinite if the object has to
  /// leave it.
  double finish_if_refused = 0;
};

/// Offers to one rank.
struct Offers {
  std::int32_t receiver = 0;
  std::vector<Offer> objects;
};

/// Objects that return to their sender.
struct RefusedObjects {
  std::int32_t sender = 0;
  std::vector<RankObject> objects;
};

/// Returns the load of a rank's objects.
double load_of(const TemperedRank& rank);
/// Returns when a rank finishes; infinity if it is not available, but has objects.
double finish_of(const TemperedRank& rank);

/// Takes objects from a rank that finishes later than the average, and returns them as offers to known ranks.
/// O(objects log objects + objects log known), or O(objects known) with a probability that is computed for
/// each object.
std::vector<Offers> make_offers(TemperedRank& rank, std::span<const KnownRank> known,
                                const AverageRank& average_rank, const TemperedOptions& options,
                                RankRandom& random);

/// Adds offered objects to a rank, the heaviest first, and returns those that it refuses. O(n log n).
std::vector<RefusedObjects> accept_offers(TemperedRank& rank, Inbox offers, double average,
                                          const TemperedOptions& options);

}  // namespace plimsoll::balance
