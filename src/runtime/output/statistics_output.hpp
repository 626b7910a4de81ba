#pragma once

#include <cstdint>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::inline v0_1::runtime {

/// Writes the phases that `lb_statistics_freq` selects to the LBStatsfile. Used on rank 0 only.
class StatisticsOutput {
 public:
  /// Creates the file, so that a directory that is not writable is an error before any measurement. Throws
  /// Error as lbdata::StatisticsFileWriter does.
  explicit StatisticsOutput(const Settings& settings);

  /// Adds a phase. Throws Error as lbdata::StatisticsFileWriter does.
  void add(const PhaseSummary& summary);
  void close();

 private:
  std::int64_t phases_apart_;
  lbdata::StatisticsFileWriter writer_;
};

}  // namespace plimsoll::runtime
