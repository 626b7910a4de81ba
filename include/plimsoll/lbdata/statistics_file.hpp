#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Statistics by name, such as "Rank_load_raw". The schema requires Object_comm, Object_load_modeled,
/// Object_load_raw, Rank_comm, Rank_load_modeled and Rank_load_raw. It also allows
/// Object_strategy_specific_load_modeled and Rank_strategy_specific_load_modeled.
using NamedStatistics = std::map<std::string, Statistics>;

/// Phase of an LBStatsfile.
struct StatisticsPhase {
  std::int64_t id = 0;                          ///< number of the phase
  std::optional<std::int64_t> migration_count;  ///< number of migrated objects, if a strategy ran
  NamedStatistics pre_lb;                       ///< statistics before load balancing
  std::optional<NamedStatistics> post_lb;       ///< statistics after load balancing, if a strategy ran
};

/// Writer of an LBStatsfile, phase by phase, in vt's format: compact JSON with members in byte-wise
/// alphabetical order. All quantities have a fraction or exponent. The file grows as `PATH.partial` and gets
/// its name when closed.
///
///     StatisticsFileWriter writer("vt_lb_statistics.json.br", {});
///     writer.write({.id = 0, .pre_lb = statistics});
///     writer.close();
class StatisticsFileWriter {
 public:
  /// Creates the file. Its metadata contains only the type, which comes first. Throws Error (usage) if the
  /// file exists and may not be overwritten, or if brotli does not support the quality or window. Throws
  /// Error (system) if the file cannot be created.
  explicit StatisticsFileWriter(std::string path, const WriteOptions& options = {});

  /// Appends one phase and flushes the file, so that the phase can be recovered if the program is killed.
  /// Throws Error (bad_input), before anything is written, if a quantity is not finite, because the format
  /// cannot represent it. Throws Error (system) if writing fails.
  void write(const StatisticsPhase& phase);
  /// Completes the file and gives it its name. Throws Error like support::OutputFile::close().
  void close();

 private:
  support::OutputFile file_;
  bool has_phase_ = false;
};

/// Formats the phase as in a file.
std::string to_json(const StatisticsPhase& phase);

}  // namespace plimsoll::lbdata
