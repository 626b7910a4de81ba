#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/internal/output_set.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

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

}  // namespace plimsoll::runtime
