#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>

#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Decision of a strategy that runs on one rank. Each rank knows what concerns its own objects.
struct CentralDecision {
  std::vector<LeavingObject> leaving;  ///< in ascending order of `object`

  // The same on all ranks.
  std::int64_t moves = 0;  ///< number of objects that leave any rank
  double max_time_before_s = 0;
  double max_time_after_s = 0;
  double mean_time_s = 0;
  std::string remark;  ///< first remark of the strategy, or why nothing migrates; may be empty
};

/// Gathers the stats of all ranks on rank 0, runs the strategy there, and tells each rank about its own
/// objects. Collective. `strategy` must be made from the same specification on all ranks. Only the columns
/// that it needs are sent. Throws on all ranks the Error that the strategy throws, and Error (usage) if the
/// stats lack a column that it needs. Cost on rank 0: 24 bytes per object, the columns that the strategy
/// needs, and the memory of the strategy.
CentralDecision decide_centrally(const mpi::Communicator& communicator, const RankStats& mine,
                                 balance::Strategy& strategy);

}  // namespace plimsoll::runtime
