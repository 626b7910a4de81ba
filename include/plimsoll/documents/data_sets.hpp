#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/documents/description.hpp>
#include <plimsoll/lbdata/data_comparison.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// Overview of a data set, as `plimsoll info` prints it.
struct DataSetInfo {
  const lbdata::Dataset& dataset;
  const balance::DatasetOverview& overview;
  bool with_work = false;  ///< whether the work was requested
  std::span<const Diagnostic> warnings;
};

/// The phases of an LBStatsfile.
struct StatisticsFileInfo {
  std::span<const lbdata::StatisticsRecord> phases;
};

/// The ranks in one phase, as `plimsoll info --ranks` prints them.
struct RankInfo {
  std::int64_t phase = 0;
  std::span<const balance::RankOverview> ranks;
};

/// Returns the imbalance; NaN without load, where it is undefined. (Statistics return 0, as vt does.)
inline double defined_imbalance(const lbdata::Statistics& statistics) {
  return statistics.average() > 0 ? statistics.imbalance() : std::nan("");
}

/// Returns whether the statistics with this name, such as "Rank_comm", are in bytes; others are in seconds.
inline bool is_in_bytes(std::string_view name) {
  return name.ends_with("_comm");
}

}  // namespace plimsoll::documents
