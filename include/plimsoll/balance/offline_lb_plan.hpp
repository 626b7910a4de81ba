#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Plan for OfflineLB of vt 1.6: a data set that makes a vt program repeat the recorded migrations, and then
/// migrate to a new placement.
struct OfflineLbPlan {
  lbdata::Dataset dataset;           ///< data of the plan; vt reads it from uncompressed files
  std::vector<Diagnostic> warnings;  ///< reasons why vt may not follow the plan
};

/// Returns the plan after which object k of `phase` is on rank to_proc[k] when the phase ends.
///
/// At the end of a phase, OfflineLB migrates objects from their ranks in this phase of the plan to their
/// ranks in the next one. The plan therefore contains:
///   - the recorded tasks and edges of all phases up to `phase`, because the program does not repeat recorded
///     migrations by itself
///   - the new placement as phase + 1 (see apply_placement()). If phase + 1 has data on all ranks, the tasks
///     get the times and subphases of the same objects in that phase.
///   - a placeholder in each phase for each rank without a migratable task, because OfflineLB migrates
///     nothing to or from ranks without one, or aborts. The placeholder is a task without load whose ID no
///     object has.
///
/// Phases without data on some rank are listed as identical to the previous phase. If the first phases lack
/// data, each object starts on its home, the rank on which it was created. The plan omits `count`, and also
/// the user data and the LB iterations of phases: vt cannot read the former and ignores the latter.
///
/// Cost: O(tasks + edges) of the plan. Throws like apply_placement(), and Error (bad_input) like
/// phase_coverage(). Source: LBDataRestartReader and OfflineLB of vt 1.6.
OfflineLbPlan offline_lb_plan(lbdata::Dataset dataset, const DatasetPhase& phase,
                              std::span<const std::int32_t> to_proc);

/// Returns whether an ID is that of a placeholder, which is not an object of the program.
bool is_offline_lb_placeholder(std::uint64_t id);

/// Returns the arguments with which a vt program follows the plan in the directory `folder`, whose files are
/// data.<rank>.json.
std::vector<std::string> offline_lb_arguments(const std::string& folder);

}  // namespace plimsoll::balance
