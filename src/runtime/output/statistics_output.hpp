#pragma once

#include <optional>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// Writes the phases that `lb_statistics_freq` selects to the LBStatsfile, which is created with the first of
/// them. Used on rank 0 only.
class StatisticsOutput {
 public:
  explicit StatisticsOutput(const Settings& settings) : settings_(settings) {}

  /// Throws Error as lbdata::StatisticsFileWriter does.
  void add(const PhaseSummary& summary);
  void close();

 private:
  const Settings& settings_;
  std::optional<lbdata::StatisticsFileWriter> writer_;
};

}  // namespace plimsoll::runtime
