#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Plan for OfflineLB of vt 1.6: a data set that makes a vt program repeat the recorded migrations, and then
/// migrate to a new placement.
struct OfflineLbPlan {
  lbdata::Dataset dataset;           ///< data of the plan; vt reads it from uncompressed files
  std::int64_t n_migrations = 0;     ///< number of objects that migrate to their new ranks
  std::vector<Diagnostic> warnings;  ///< reasons why vt may not follow the plan
};

/// Returns the phase at whose end vt should migrate to a new placement for the loads of `phase`: `phase`, or
/// the first phase with data on all ranks if no phase follows it in the recorded run. Throws Error
/// (bad_input) like phase_coverage(), and if no phase has data on all ranks.
std::int64_t default_migration_phase(const lbdata::Dataset& dataset, std::int64_t phase);

/// Returns the plan with which object k of `phase` is on rank to_proc[k] after the phase `migrate_after`.
///
/// At the end of a phase, OfflineLB migrates objects from their ranks in this phase of the plan to their
/// ranks in the next one. The plan therefore contains:
///   - the recorded tasks of all phases up to `migrate_after`, because the program does not repeat recorded
///     migrations by itself
///   - the new placement as phase `migrate_after` + 1, with the loads of `phase`
///   - a placeholder (lbdata::is_placeholder()) in each phase for each rank without a migratable task,
///     because OfflineLB migrates nothing to or from ranks without one, or aborts
///
/// Phases without data on some rank, and phases in which a rank has the same migratable objects as before,
/// are listed as identical to the previous phase. If the first phases lack data, each object starts on its
/// home, the rank on which it was created. The plan omits everything that vt does not need: edges, subphases,
/// user data, LB iterations and `count`. vt cannot read the user data of phases.
///
/// Cost: O(tasks log tasks) of the phases up to `migrate_after`. Throws like apply_placement(), and Error
/// (bad_input) like phase_coverage(). Throws Error (usage) if `migrate_after` is negative or the maximum
/// phase number. Source: LBDataRestartReader and OfflineLB of vt 1.6.
OfflineLbPlan offline_lb_plan(lbdata::Dataset dataset, const DatasetPhase& phase,
                              std::span<const std::int32_t> to_proc, std::int64_t migrate_after);

/// Returns the arguments with which a vt program follows the plan in the directory `folder`, whose files are
/// data.<rank>.json.
std::vector<std::string> offline_lb_arguments(const std::string& folder);

/// Migratable objects of one rank in each phase of a recorded run or of an OfflineLbPlan, for OfflineLB. A
/// phase listed as identical to the previous one has the objects of the last earlier phase with data.
///
/// At the end of phase n, the ranks follow the recording if all ranks have is_recorded(n + 1) and any rank
/// has needs_lb(n). Unlike vt's LBDataRestartReader, a rank may be without objects; a phase that is neither
/// recorded nor listed counts as skipped, as in vt's files with a phase specification; and the ranks also
/// follow the first phase after skipped phases.
class RecordedPlacement {
 public:
  /// Takes the placement of one rank of a data set. Cost: O(n log n) for n tasks; 8 bytes per task.
  RecordedPlacement(const lbdata::Dataset& dataset, std::size_t rank);
  /// Reads the LB data file of one rank. Throws Error like lbdata::read().
  static RecordedPlacement read(const std::string& path);

  /// Returns whether the objects of a phase are known.
  bool is_recorded(std::int64_t phase) const { return index_of(phase).has_value(); }
  /// Returns whether the objects of this rank in phase n + 1 are known, and differ from those of the last
  /// known phase up to n. Cost: O(log phases + listed ranges).
  bool needs_lb(std::int64_t phase) const;
  /// Returns the IDs of the objects that this rank has in a phase, ascending. Empty if none are known.
  std::span<const std::uint64_t> objects(std::int64_t phase) const;

 private:
  std::optional<std::size_t> index_of(std::int64_t phase) const;

  lbdata::RankData phases_;                          // phases without tasks
  std::vector<std::vector<std::uint64_t>> objects_;  // objects of each phase of phases_
};

}  // namespace plimsoll::balance
