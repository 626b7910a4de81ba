#pragma once

#include <cstdint>

#include <plimsoll/lbdata/statistics.hpp>

namespace plimsoll::inline v0_1::runtime {

/// How one rank spent its time in one phase: total = objects + background + idle.
struct RankTimes {
  double total_s = 0;  ///< wall-clock time while recording was on
  double objects_s =
      0;  ///< between begin() and end() of objects, and add_time() at most up to the background
  double background_s = 0;   ///< attributed to no object
  double idle_s = 0;         ///< begin_idle() to end_idle(), and waiting for other ranks at the phase end
  double cpu_total_s = 0;    ///< CPU time of the thread; 0 unless Settings::lb_cpu_time
  double cpu_objects_s = 0;  ///< the part of it between begin() and end() of objects
};

/// What all ranks know about a phase that has ended.
struct PhaseSummary {
  std::int64_t phase = 0;            ///< number of the phase, from 0
  RankTimes times;                   ///< of this rank
  lbdata::Statistics object_load_s;  ///< over all tasks of all ranks
  lbdata::Statistics rank_load_s;    ///< over ranks, each the sum of its tasks
  /// The same statistics of the loads that the load model of the settings expects in the next phase.
  lbdata::Statistics object_load_modeled_s;
  lbdata::Statistics rank_load_modeled_s;
  lbdata::Statistics object_comm_bytes;  ///< over SendRecv edges from one object to another
  lbdata::Statistics rank_comm_bytes;    ///< over ranks, each the bytes of its edges to and from other ranks
  double duration_s = 0;                 ///< the longest RankTimes::total_s of any rank
};

}  // namespace plimsoll::runtime

namespace plimsoll::inline v0_1 {
using runtime::PhaseSummary;
}  // namespace plimsoll
