#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/support/version.hpp>

#include "balance/strategies/tempered_lb/gossip.hpp"
#include "balance/strategies/tempered_lb/object_order.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Criterion by which an overloaded rank offers an object to an underloaded one, and the latter accepts it.
enum class TransferCriterion {
  grapevine,  ///< the receiver finishes by the average
  relaxed,    ///< the receiver finishes before the sender would with the object (ModifiedGrapevine of vt)
};

/// Probability with which a known rank is chosen: proportional to 1 - finish / norm.
enum class TransferProbability {
  by_average,      ///< norm is the average; only ranks below the average are chosen (vt: Original)
  by_maximum,      ///< norm is the maximum over the known ranks, computed once (vt: NormByMax)
  among_eligible,  ///< the same among the ranks that fulfil the criterion for the object
};

/// Settings of the gossip.
struct TemperedOptions {
  GossipReach reach;
  std::int32_t iterations = 4;
  std::int32_t trials = 1;
  TransferCriterion criterion = TransferCriterion::relaxed;
  TransferProbability probability = TransferProbability::by_maximum;
  ObjectOrder order = ObjectOrder::fewest_migrations;
  bool admission = true;  ///< whether receivers refuse objects that violate the criterion
  bool rollback =
      true;  ///< whether all iterations are candidates for the result, not only the last of each trial
  double target = 1;  ///< maximum finish time, relative to the average, that is sufficient
  std::uint64_t seed = 0;
};

/// A rank with its migratable objects.
struct TemperedRank {
  std::vector<RankObject> objects;
  double overhead = 0;  ///< time that does not depend on the objects
  double speed = 1;
  bool available = true;  ///< whether it may have objects
};

/// Distributes the objects of overloaded ranks to ranks that they hear of by gossip. `ranks` contains the
/// local ranks of the executor. Collective. Time and memory per rank depend on its objects and messages, not
/// on the number of ranks: O(iterations (rounds fanout max_known + objects log objects)) on average.
///
/// Each iteration consists of rounds in which underloaded ranks make themselves known, one in which
/// overloaded ranks offer objects, and one in which the receivers return what they refuse. Source: H. Menon,
/// L. Kalé, "A distributed dynamic load balancer for iterative applications", SC13; J. Lifflander et al.,
/// SAND2019-5139 (relaxed criterion, iterations, orders). Admission by the receivers is an addition: without
/// it, many ranks that know the same few ranks overload them.
void balance_by_gossip(RankRounds& rounds, const TemperedOptions& options, std::span<TemperedRank> ranks);

}  // namespace plimsoll::balance
