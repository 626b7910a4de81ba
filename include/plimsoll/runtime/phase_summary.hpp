#pragma once

#include <cstdint>

#include <plimsoll/lbdata/statistics.hpp>

namespace plimsoll::runtime {

/// Where the time of one rank in one phase went, in seconds: total = objects + background + idle.
struct RankTimes {
  double total_s = 0;
  double objects_s = 0;     ///< in begin() ... end() of objects, and add_time() as far as background had it
  double background_s = 0;  ///< attributed to nothing
  double idle_s = 0;        ///< waiting for the other ranks at the phase's end, and what the program marks
  double cpu_total_s = 0;   ///< CPU time of the thread; 0 unless Settings::cpu_time
  double cpu_objects_s = 0;
};

/// What all ranks know about a phase when it is over.
struct PhaseSummary {
  std::int64_t phase = 0;
  RankTimes times;                   ///< of this rank
  lbdata::Statistics object_load_s;  ///< over all tasks of all ranks
  lbdata::Statistics rank_load_s;    ///< over ranks, each the sum of its tasks
  /// The same of the loads that the load model of the settings expects for the next phase.
  lbdata::Statistics object_load_modeled_s;
  lbdata::Statistics rank_load_modeled_s;
  lbdata::Statistics object_comm_bytes;  ///< over SendRecv edges from one object to another
  lbdata::Statistics rank_comm_bytes;    ///< over ranks, each the bytes of its edges to and from other ranks
  double duration_s = 0;                 ///< the longest total of any rank
};

}  // namespace plimsoll::runtime

namespace plimsoll {
using runtime::PhaseSummary;
}  // namespace plimsoll
