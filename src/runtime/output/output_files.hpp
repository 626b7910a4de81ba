#pragma once

#include <functional>
#include <optional>

#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder_lock.hpp>

#include "runtime/output/statistics_output.hpp"
#include "runtime/recording/phase_observer.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::inline v0_1::runtime {

/// Writes the files of a run: the LB data of each rank, and the statistics on rank 0. After a failure, no
/// rank writes any more, because files that end at different phases are not a data set. A setting says
/// whether the program goes on then.
class OutputFiles final : public PhaseObserver {
 public:
  /// `lock` is what lock_output_folders() returned.
  OutputFiles(const Session& session, NodeLBData& data, std::optional<support::FolderLock> lock);

  /// Throws Error (system) if writing fails, unless the program is to go on then (OnWriteError::go_on).
  void phase_ended(const EndedPhase& phase) override;
  /// Collective: gives the files of all ranks their names, or those of none. Throws Error on all ranks.
  void close() override;

  /// Whether writing has failed on this rank, and the program goes on.
  bool needs_all_ranks() const override { return failure_.has_value(); }
  /// Stops writing on all ranks, and tells the user why: the failure of the lowest rank that has one.
  void act_on_all_ranks() override;

 private:
  void write(const std::function<void()>& work);
  void end();
  void stop();

  const Session& session_;
  NodeLBData& data_;
  std::optional<support::FolderLock> lock_;
  std::optional<StatisticsOutput> statistics_;  // on rank 0, if they are written
  std::optional<Error> failure_;                // which the other ranks do not know of yet
  std::optional<Error> stopped_by_;             // the first failure on this rank
  bool all_have_stopped_ = false;
  bool has_published_ = false;
};

}  // namespace plimsoll::runtime
