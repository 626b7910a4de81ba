#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Time of one rank in one phase: total = objects + background + idle. These are wall-clock times of the
/// thread that owns the recorder. Loads, in contrast, are the sums over all threads, and may therefore exceed
/// them.
struct RankTimes {
  double total_s = 0;  ///< wall-clock time during which recording was on
  /// Time between begin() and end() of objects. Also includes the part of the remaining time that is
  /// explained by add_time(), or by the longest-working other thread if it worked for longer than objects +
  /// idle time.
  double objects_s = 0;
  double background_s = 0;  ///< time that belongs to no object
  double idle_s = 0;  ///< time from begin_idle() to end_idle(), and waiting for other ranks at the phase end
  /// CPU time of the owning thread, plus that of other threads between begin() and end() of objects; 0 unless
  /// lb_cpu_time or lb_loads in Settings request it
  double cpu_total_s = 0;
  double cpu_objects_s = 0;  ///< part of cpu_total_s between begin() and end() of objects
};

/// Statistics of one phase over all ranks.
struct PhaseStatistics {
  lbdata::Statistics object_load_s;  ///< load per task, over all tasks of all ranks
  lbdata::Statistics rank_load_s;    ///< load per rank (sum of its tasks), over all ranks
  /// Same statistics for the loads that the load model of the settings predicts for the next phase.
  lbdata::Statistics object_load_modeled_s;
  lbdata::Statistics rank_load_modeled_s;
  lbdata::Statistics object_comm_bytes;  ///< bytes per SendRecv edge between objects, over all such edges
  lbdata::Statistics rank_comm_bytes;    ///< bytes per rank on edges to and from other ranks, over all ranks
  double duration_s = 0;                 ///< maximum RankTimes::total_s of any rank
  /// Maximum idle time of any rank that the program itself marked, e.g. with begin_idle(). If it is 0, the
  /// background times contain waits for other ranks.
  double marked_idle_s = 0;
  /// Sum over all ranks of the device times that were added in this phase, but belong to earlier phases.
  double late_device_s = 0;
};

/// Load balancing at the end of one phase. Times are maxima over the ranks.
struct BalancingSummary {
  std::string strategy;         ///< strategy that decided; empty if none ran
  std::int64_t migrations = 0;  ///< number of objects that migrated, over all ranks
  /// Predicted decrease of the maximum time of a rank per phase; 0 if the strategy predicts nothing.
  double predicted_gain_s = 0;
  double decision_s = 0;   ///< time to gather the loads, decide and distribute the decision
  double migration_s = 0;  ///< time to migrate the objects
  /// Time to migrate the objects without that in which other processes had the cores, and the same as
  /// predicted before; 0 if unknown.
  double price_s = 0;
  double predicted_price_s = 0;
  /// Load per rank with the new placement, measured in the phase and predicted for the next phase.
  lbdata::Statistics rank_load_s;
  lbdata::Statistics rank_load_modeled_s;
  std::string remark;  ///< why the strategy missed its target; may be empty
  /// Why nothing migrated, if a strategy is selected.
  std::optional<lbdata::NotBalanced> not_balanced = {};
};

/// Summary of one completed phase, known on all ranks.
struct PhaseSummary : PhaseStatistics {
  std::int64_t phase = 0;      ///< number of the phase, from 0
  RankTimes times;             ///< times of this rank
  BalancingSummary balancing;  ///< load balancing at the end of the phase
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::PhaseSummary;
}  // namespace plimsoll
