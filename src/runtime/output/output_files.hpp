#pragma once

#include <functional>
#include <optional>

#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "runtime/output/statistics_output.hpp"
#include "runtime/recording/phase_observer.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Writes the files of a run: the LB data of each rank, and the statistics on rank 0. If a rank cannot write
/// its LB data, all ranks stop writing, because files that end at different phases are not a data set. A
/// setting determines whether the program then continues. If rank 0 cannot write the statistics, it prints
/// one message, and everything else continues: no result depends on them.
class OutputFiles final : public PhaseObserver {
 public:
  /// Uses the `lock` that lock_output_folders() returned.
  OutputFiles(const Session& session, NodeLBData& data, std::optional<support::FolderLock> lock);

  /// Writes the phase. Throws Error (system) if writing LB data fails, unless the program then continues
  /// (OnWriteError::go_on).
  void phase_ended(const EndedPhase& phase) override;
  bool needs_values() const override { return !data_.path().empty(); }
  /// Collective: publishes the files of all ranks under their final names, or none of them. Throws Error on
  /// all ranks.
  void close() override;

  /// Returns whether writing has failed on this rank, and the program continues.
  bool needs_all_ranks() const override { return failure_.has_value(); }
  /// Stops writing on all ranks, and prints the failure of the lowest rank that failed.
  void act_on_all_ranks() override;

 private:
  void write(const std::function<void()>& work);
  /// Runs `work` on the statistics file. If it fails, stops writing statistics and prints a message that
  /// begins with `consequence`.
  void write_statistics(const char* consequence, const std::function<void()>& work);
  void end();
  void stop();

  const Session& session_;
  NodeLBData& data_;
  std::optional<support::FolderLock> lock_;
  std::optional<StatisticsOutput> statistics_;  // statistics on rank 0, if they are written
  std::optional<Error> failure_;                // failure not yet known to the other ranks
  std::optional<Error> stopped_by_;             // first failure on this rank
  bool all_have_stopped_ = false;
};

}  // namespace plimsoll::runtime
