#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/runtime/directory.hpp>

#include "runtime/balancing/rank_stats.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Follows recorded placements: vt's OfflineLB. Each rank reads its own file and requests the objects that
/// the file assigns to it.
class OfflineMigration {
 public:
  /// Collective: reads the files that the settings lb_data_dir_in and lb_data_file_in specify. Throws Error
  /// on all ranks like balance::RecordedPlacement. The session must outlive this object.
  explicit OfflineMigration(const Session& session);

  /// Returns the objects of this rank that other ranks have in phase `phase` + 1 of the recording; none if
  /// that phase is not recorded. Collective. Ignores recorded objects that no rank has; the first time,
  /// prints on rank 0 their number, and how many objects the recording lacks. Throws Error (bad_input)
  /// on all ranks if the recording has an object on two ranks.
  std::vector<LeavingObject> leaving(std::int64_t phase, const RankStats& mine, Directory& directory);

 private:
  void warn_of(std::int64_t only_recorded, std::int64_t only_here, std::int64_t phase);
  const Session& session_;
  balance::RecordedPlacement placement_;
  bool has_warned_ = false;
};

}  // namespace plimsoll::runtime
