#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::inline v0_1::balance {

/// Where an object's record is: which task of which rank.
struct TaskLocation {
  std::uint32_t rank = 0;  ///< index into Dataset::ranks
  std::uint32_t task = 0;  ///< index into the tasks of the rank's record
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
  static constexpr std::uint32_t no_object =
      ~std::uint32_t{0};  ///< in edge_objects: the edge stays on its rank

  std::int64_t phase = 0;               ///< its id
  LDStats stats;                        ///< as strategies see it
  std::vector<TaskLocation> locations;  ///< of each object
  /// Of each edge in the ranks' records, rank by rank: the object on that rank that it is recorded with, and
  /// moves with, or no_object. Empty if not asked for (PhaseColumns::edge_objects).
  std::vector<std::uint32_t> edge_objects;
  UnresolvedEdges unresolved;  ///< how many edges are not in stats
};

/// Columns that load_phase() fills on request: they take time, and users' fields may be wrong.
struct PhaseColumns {
  /// DatasetPhase::edge_objects, which apply_placement() needs.
  bool edge_objects = true;
  /// Members of tasks' `user_defined` that are further dimensions of load (LDStats::more_loads); 0 where one
  /// is absent.
  std::vector<std::string> load_dimensions;
  /// LDStats::memory and blocks, and the processors' rank_working_bytes (the most that a task of the rank
  /// says), from `task_footprint_bytes`, `task_working_bytes`, `task_serialized_bytes`, `rank_working_bytes`,
  /// `shared_id` (no block if negative), `shared_bytes` and `home_rank`. A block's home is its `home_rank`,
  /// or the rank whose file has the task; one `shared_id` with two homes is two blocks, as in LBAF.
  bool memory = false;
  /// LDStats::positions: from this member of `user_defined`, an array of numbers.
  std::string position_field;
  /// LDStats::positions from the entities' `index` (without a field).
  bool positions = false;
  /// Consecutive ranks that share a node. 0: as the files' `shared_node` says.
  std::int32_t ranks_per_node = 0;
};

/// Takes a phase from a data set; `to_proc` starts as `from_proc`. An end of an edge refers to the task with
/// the same number (`id`, else `seq_id`) of any rank. A migratable object has one task. Sentinels may repeat
/// a number on several ranks (vt's pseudo task 0, say): they are separate, and an edge means the one on the
/// rank that recorded it, if there is one, else that of the lowest rank.
///
/// Expected O(tasks + edges), whatever the bit patterns of numbers. Throws Error: usage if no rank has data
/// of the phase, bad_input if some have none, if a number repeats otherwise, or a load is negative or not
/// finite.
///
/// For `columns`, Error (bad_input) for user data that can't be read, a member that is no number or negative,
/// a negative or infinite memory size, or positions of which some have more coordinates than others; usage if
/// no task has a position or a dimension asked for. Objects without a position (sentinels, say) are at 0.
DatasetPhase load_phase(const lbdata::Dataset& dataset, std::int64_t phase, const PhaseColumns& columns = {});

/// The last phase with data on all ranks. Throws Error (bad_input) if there is none; `where` is the data set,
/// for the message.
std::int64_t last_complete_phase(const lbdata::Dataset& dataset, const std::string& where = {});

}  // namespace plimsoll::balance
