#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Eleven statistics as an LBStatsfile contains them; Statistics computes and defines them.
struct RecordedStatistics {
  double average = 0;             ///< `avg`
  double count = 0;               ///< `car`
  double imbalance = 0;           ///< `imb`
  double kurtosis = 0;            ///< `kur`, excess kurtosis
  double maximum = 0;             ///< `max`
  double minimum = 0;             ///< `min`
  double nonzero_count = 0;       ///< `npr`
  double skewness = 0;            ///< `skw`
  double standard_deviation = 0;  ///< `std`
  double sum = 0;                 ///< `sum`
  double variance = 0;            ///< `var`
  friend bool operator==(const RecordedStatistics&, const RecordedStatistics&) = default;
};

/// Returns the statistics as an LBStatsfile would contain them.
RecordedStatistics recorded(const Statistics& statistics);

/// Statistics by name, such as "Rank_load_raw".
using RecordedStatisticsByName = std::map<std::string, RecordedStatistics>;

/// Why objects stayed where they were at the end of a phase.
struct NotBalanced {
  std::string reason;  ///< name of the reason, such as "price"
  std::string text;    ///< sentence for users, without a full stop
  /// What was compared, by name, such as "gain": docs/reference/lb-data-files.md lists them. Times are in
  /// seconds.
  std::map<std::string, double> numbers;

  friend bool operator==(const NotBalanced&, const NotBalanced&) = default;
};

/// Phase of an LBStatsfile as read (StatisticsPhase as written).
struct StatisticsRecord {
  std::int64_t phase = 0;
  std::optional<std::int64_t> migration_count;      ///< number of migrated objects, if a strategy ran
  RecordedStatisticsByName pre_lb;                  ///< statistics before load balancing
  std::optional<RecordedStatisticsByName> post_lb;  ///< statistics after load balancing, if a strategy ran
  std::optional<NotBalanced> not_balanced;          ///< if a strategy was selected, but nothing migrated
};

/// Returns whether a file specifies the type LBStatsfile before its phases. Reads the file only up to its
/// type or its first phase. Returns false if `path` is not a regular file, and for text that is not valid
/// JSON. Throws Error (system) if the file cannot be read.
bool is_statistics_file(const std::string& path, const support::SizeLimits& limits = {});

/// Returns whether a file is an LB data file: it specifies another type than LBStatsfile, or has phases
/// without a type. Otherwise as is_statistics_file().
bool is_data_file(const std::string& path, const support::SizeLimits& limits = {});

/// Returns the same, but false if the file cannot be read: for searches in directories, where a later reader
/// reports the error.
bool is_readable_statistics_file(const std::string& path);

/// Reads the phases of an LBStatsfile, in the order of the file. Of a partial output file (`.partial`), reads
/// the complete phases before its end. Memory: about a kilobyte per phase. Throws Error (system) if the file
/// cannot be read. Throws Error (bad_input), with file, byte, line and JSON pointer, if it is damaged or
/// violates the schema. An integer is accepted where the schema requires a fraction.
std::vector<StatisticsRecord> read_statistics_file(const std::string& path,
                                                   const support::SizeLimits& limits = {});

/// Statistics by name, such as "Rank_load_raw". The schema requires Object_comm, Object_load_modeled,
/// Object_load_raw, Rank_comm, Rank_load_modeled and Rank_load_raw. It also allows
/// Object_strategy_specific_load_modeled and Rank_strategy_specific_load_modeled.
using NamedStatistics = std::map<std::string, Statistics>;

/// Phase of an LBStatsfile.
struct StatisticsPhase {
  std::int64_t id = 0;                           ///< number of the phase
  std::optional<std::int64_t> migration_count;   ///< number of migrated objects, if a strategy ran
  NamedStatistics pre_lb;                        ///< statistics before load balancing
  std::optional<NamedStatistics> post_lb;        ///< statistics after load balancing, if a strategy ran
  std::optional<NotBalanced> not_balanced = {};  ///< if a strategy was selected, but nothing migrated
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
