#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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
