#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Statistics by name, such as "Rank_load_raw". The schema asks for Object_comm, Object_load_modeled,
/// Object_load_raw, Rank_comm, Rank_load_modeled and Rank_load_raw, and allows
/// Object_strategy_specific_load_modeled and Rank_strategy_specific_load_modeled besides.
using NamedStatistics = std::map<std::string, Statistics>;

/// One phase of an LBStatsfile.
struct StatisticsPhase {
  std::int64_t id = 0;                          ///< number of the phase
  std::optional<std::int64_t> migration_count;  ///< objects moved, if a strategy ran
  NamedStatistics pre_lb;                       ///< before load balancing
  std::optional<NamedStatistics> post_lb;       ///< after it, if a strategy ran
};

/// Writes an LBStatsfile phase by phase, in the form vt writes: compact JSON with members in byte-wise
/// alphabetical order, all quantities with fraction or exponent. The file grows under `PATH.partial` and gets
/// its name when closed.
///
///     StatisticsFileWriter writer("vt_lb_statistics.json.br", {});
///     writer.write({.id = 0, .pre_lb = statistics});
///     writer.close();
class StatisticsFileWriter {
 public:
  /// Throws Error: usage if the file exists and may not be overwritten or brotli has no such quality or
  /// window, system if it cannot be made. There is no metadata but the type, which comes first.
  explicit StatisticsFileWriter(std::string path, const WriteOptions& options = {});

  /// Appends a phase and flushes: if the program is killed, the phase can be recovered.
  /// Throws Error: bad_input, before anything is written, if a quantity is not finite, which the format
  /// cannot express; system if writing fails.
  void write(const StatisticsPhase& phase);
  /// Ends the file and gives it its name. Throws Error as support::OutputFile::close().
  void close();

 private:
  support::OutputFile file_;
  bool has_phase_ = false;
};

/// A phase as it stands in a file.
std::string to_json(const StatisticsPhase& phase);

}  // namespace plimsoll::lbdata
