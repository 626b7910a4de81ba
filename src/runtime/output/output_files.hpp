#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "runtime/recording/phase_hooks.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Collective: creates and locks the directories of the LB data files, if the settings enable these files.
/// Rank 0 and all ranks whose files are in another directory lock their directory. Returns the lock of this
/// rank, if any. Throws Error on all ranks: usage if another program holds a lock, otherwise system.
std::optional<support::FolderLock> lock_output_folders(const mpi::Communicator& communicator,
                                                       const Settings& settings);

/// Removes the partial output files that an earlier run on more ranks left, if files may be overwritten.
/// Otherwise `plimsoll repair` would treat them as ranks of this run. Call this on rank 0 after all ranks
/// have opened their files. Throws Error: usage if another program is writing one of them, otherwise system.
void remove_streams_of_higher_ranks(const Settings& settings, int ranks);

/// Collective: renames the files that all ranks have completed (NodeLBData::end()) to their final names.
/// Removes files that an earlier run on more ranks left. Throws Error on all ranks.
void publish_data_files(const mpi::Communicator& communicator, const Settings& settings,
                        const std::optional<support::FolderLock>& lock);

/// Writes the phases that `lb_statistics_freq` selects to the LBStatsfile, and locks that file in its
/// directory. Used on rank 0 only.
class StatisticsOutput {
 public:
  /// Creates the file and its directory. If the file exists or is in use, another name is used: see
  /// statistics_file_path(). Throws the same Errors (system) as support::FolderLock and
  /// lbdata::StatisticsFileWriter, and Error (usage) if very many names are taken.
  static StatisticsOutput create(const Settings& settings, bool may_have_threads);

  /// Adds a phase. Throws the same Errors as lbdata::StatisticsFileWriter.
  void add(const PhaseSummary& summary);
  /// Completes the file. Throws the same Errors as support::FolderLock::check() and
  /// lbdata::StatisticsFileWriter.
  void close();

 private:
  StatisticsOutput(const Settings& settings, const std::string& path, bool may_have_threads);

  std::int64_t phases_apart_;
  support::FolderLock lock_;
  lbdata::StatisticsFileWriter writer_;
};

/// Writes the files of a run: the LB data of each rank, and the statistics on rank 0. If a rank cannot write
/// its LB data, all ranks stop writing, because files that end at different phases are not a data set. A
/// setting determines whether the program then continues. If rank 0 cannot write the statistics, it prints
/// one message, and everything else continues: no result depends on them.
class OutputFiles {
 public:
  /// Uses the `lock` that lock_output_folders() returned.
  OutputFiles(const Session& session, NodeLBData& data, std::optional<support::FolderLock> lock);

  /// Writes the phase. Throws Error (system) if writing LB data fails, unless the program then continues
  /// (OnWriteError::go_on).
  void phase_ended(const EndedPhase& phase);
  bool needs_values() const { return !data_.path().empty(); }
  /// Collective: publishes the files of all ranks under their final names, or none of them. Throws Error on
  /// all ranks.
  void close();

  /// Returns whether writing has failed on this rank, and the program continues. The ranks share this at the
  /// next phase end, or close().
  bool needs_all_ranks() const { return failure_.has_value(); }
  /// Collective: stops writing, and prints the failure of the lowest rank that failed.
  void act_on_all_ranks();

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

/// Returns the line that rank 0 prints about a phase.
std::string summary_line(const PhaseSummary& summary);

}  // namespace plimsoll::runtime
