#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::balance {

/// Where an object's record is: which task of which rank.
struct TaskLocation {
  std::uint32_t rank = 0;
  std::uint32_t task = 0;
  friend bool operator==(const TaskLocation&, const TaskLocation&) = default;
};

/// Edges of a phase that are not in LDStats::comm_data, because an end is neither object nor processor.
struct UnresolvedEdges {
  std::int64_t shared_id = 0;  ///< an end is a shared block
  std::int64_t dangling = 0;  ///< an end is an object without a task in the phase, or a rank that isn't there
  std::int64_t other = 0;     ///< an end is of a type that is not known
  friend bool operator==(const UnresolvedEdges&, const UnresolvedEdges&) = default;
};

/// One phase of a data set as strategies see it.
///
/// Processor r is rank r, with speed 1, available and without background. Objects are the tasks, in the order
/// of ranks and of tasks in a rank's record; what is not migratable, or does not say, is a sentinel.
struct DatasetPhase {
  std::int64_t phase = 0;
  LDStats stats;
  std::vector<TaskLocation> locations;  ///< of each object
  std::vector<std::uint8_t>
      comm_categories;  ///< of each edge of stats.comm_data, as in lbdata::Communications
  UnresolvedEdges unresolved;
};

/// Takes a phase from a data set; `to_proc` starts as `from_proc`. An end of an edge refers to the task with
/// the same number (`id`, else `seq_id`) of any rank. A migratable object has one task. Sentinels may repeat
/// a number on several ranks (vt's pseudo task 0, say): they are separate, and an edge means the one on the
/// rank that recorded it, if there is one, else that of the lowest rank.
///
/// Expected O(tasks + edges), whatever the bit patterns of numbers. Throws Error: usage if no rank has data
/// of the phase, bad_input if some have none, if a number repeats otherwise, or a load is negative or not
/// finite.
DatasetPhase load_phase(const lbdata::Dataset& dataset, std::int64_t phase);

}  // namespace plimsoll::balance
