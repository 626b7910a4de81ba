#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Location of an object's record: its rank and task.
struct TaskLocation {
  std::uint32_t rank = 0;  ///< index into Dataset::ranks
  std::uint32_t task = 0;  ///< index into the tasks of the rank's record
  friend bool operator==(const TaskLocation&, const TaskLocation&) = default;
};

/// Phase of a data set in the form that strategies read.
///
/// Processor r is rank r. It has speed 1, is available and has no background load unless it is requested.
/// Objects are the tasks, sorted by rank and by position in the rank's record. A task becomes a
/// non-migratable object unless it specifies that it is migratable.
struct DatasetPhase {
  /// Value in edge_objects for an edge that stays on its rank.
  static constexpr std::uint32_t no_object = ~std::uint32_t{0};

  std::int64_t phase = 0;               ///< id of the phase
  bool synchronised = false;            ///< whether the ranks synchronise after each subphase of all phases
  LDStats stats;                        ///< stats as strategies see them
  std::vector<TaskLocation> locations;  ///< location of each object; empty if only loads were requested
  /// For each edge in the ranks' records, rank by rank: the object that the edge was recorded with and
  /// migrates with, or no_object. The object is on the rank of the record. Empty if not requested
  /// (PhaseColumns::edge_objects).
  std::vector<std::uint32_t> edge_objects;
};

/// Columns that load_phase() fills on request, because they take time and user-defined fields may be invalid.
struct PhaseColumns {
  /// Whether to fill only LDStats::procs, obj_data and from_proc, and the columns below that are requested.
  /// This takes 20 bytes per object, instead of 40 per object and 29 per edge.
  bool loads_only = false;
  /// Whether to fill DatasetPhase::edge_objects, which apply_placement() needs. Ignored for `loads_only`.
  bool edge_objects = true;
  /// Members of the tasks' `user_defined`, or else of their `attributes`, to use as further load dimensions
  /// (LDStats::more_loads). An absent member counts as 0.
  std::vector<std::string> load_dimensions;
  /// Whether the ranks synchronise after each subphase: fills LDStats::subphases, unless no task has
  /// subphases. Times of subphases that add up to more than the load of their task are scaled down to it.
  /// Loads that belong to no subphase count as one more.
  bool subphases = false;
  /// Whether to fill ProcStats::bg_walltime as in a running program: with the lower median of the attribute
  /// `background_load` of the rank object in the phase and the two before it. The recorder writes it in
  /// phases in which the program marks waits.
  bool background = false;
  /// Whether to fill LDStats::memory, LDStats::blocks and ProcStats::rank_working_bytes (the maximum over the
  /// rank's tasks). The data come from `task_footprint_bytes`, `task_working_bytes`, `task_serialized_bytes`,
  /// `rank_working_bytes`, `shared_id` (no block if negative), `shared_bytes` and `home_rank`. The home of a
  /// block is `home_rank`; without it, the home is the rank whose file contains the task. A `shared_id` with
  /// two homes counts as two blocks, as in LBAF.
  bool memory = false;
  /// Member of `user_defined` that contains LDStats::positions: an array of numbers.
  std::string position_field;
  /// Whether to read LDStats::positions from the entities' `index` if `position_field` is empty.
  bool positions = false;
  /// Number of consecutive ranks per node. 0: use the files' `shared_node`.
  std::int32_t ranks_per_node = 0;
};

/// Reads one phase of a data set; `to_proc` starts equal to `from_proc`. Each end of an edge refers to the
/// task with the same number (`id`, else `seq_id`) on any rank. A migratable object has one task. Several
/// ranks may use the same number for non-migratable objects (for example vt's pseudo task 0). These are
/// separate objects. An edge then refers to the object on the rank that recorded it, or else to the object on
/// the lowest rank. LDStats::comm_data omits edges with an end that is neither an object nor a processor.
///
/// Cost: expected O(tasks + edges), for any numbers. Throws Error (usage) if no rank has data of the phase.
/// Throws Error (bad_input) if only some ranks have data, for any other duplicate number, or if a load is
/// negative or not finite.
///
/// Reading `columns` throws Error (bad_input) for invalid subphases or user data, for a member that is
/// negative or not a number, and for a negative or infinite memory size. It also throws Error (bad_input) if
/// positions differ in their number of coordinates. It throws Error (usage) if no task has a position or a
/// requested load dimension. Objects without a position (such as non-migratable objects) are placed at the
/// origin.
DatasetPhase load_phase(const lbdata::Dataset& dataset, std::int64_t phase, const PhaseColumns& columns = {});

/// Returns the last phase with data on all ranks. Throws Error (bad_input) if no such phase exists. `where`
/// names the data set in the message.
std::int64_t last_complete_phase(const lbdata::Dataset& dataset, const std::string& where = {});

/// Loads as recorded, by rank and phase, in the order of the data set.
struct RecordedLoads {
  /// Columns of Tasks of one phase.
  struct Phase {
    std::vector<double> time_s;
    std::vector<double> subphase_time_s;
  };
  std::vector<std::vector<Phase>> ranks;  ///< phases by rank; empty if no loads were replaced
};

/// Replaces the load of each task by a number in its `user_defined` or, if that does not contain it, in its
/// `attributes`, such as `cpu_time`. Subphases are scaled in proportion; they become 0 if the recorded load
/// is 0. Returns the recorded loads. Does nothing if `field` is empty.
///
/// Cost: O(tasks), parses the user data of each task. Throws Error (bad_input) if a task does not have the
/// field, or if its value is not a finite number >= 0; the data set is then unchanged.
RecordedLoads use_load_field(lbdata::Dataset& dataset, std::string_view field);

/// Restores the loads that use_load_field() replaced. The tasks must be unchanged otherwise.
void restore_loads(lbdata::Dataset& dataset, RecordedLoads&& recorded);

/// Memory of a task, from the members of its `user_defined` that vt's users know. Missing sizes are 0.
struct TaskMemory {
  /// Shared block of memory that the task uses.
  struct Block {
    std::int64_t id = 0;               ///< member `shared_id`, >= 0
    double bytes = 0;                  ///< member `shared_bytes`
    std::optional<std::int64_t> home;  ///< member `home_rank`; by default, the rank that recorded the task
  };
  double footprint_bytes = 0;     ///< member `task_footprint_bytes`
  double working_bytes = 0;       ///< member `task_working_bytes`
  double serialized_bytes = 0;    ///< member `task_serialized_bytes`
  double rank_working_bytes = 0;  ///< member `rank_working_bytes`
  std::optional<Block> block;     ///< empty if `shared_id` is missing or negative
};

/// Reads the members. Throws Error (bad_input) for a size that is not a finite number >= 0, and for a number
/// of a block or rank that is not an integer below 2^53.
TaskMemory task_memory(const support::JsonView& user_defined);

}  // namespace plimsoll::balance
