#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::runtime {

/// Where the runtime's lines of text go, each without a newline. The default is rank 0's stderr.
using MessageSink = std::function<void(std::string_view)>;

/// What to do when LB data can no longer be written, e.g. because the disk is full.
enum class OnWriteError {
  stop,   ///< next_phase() throws on all ranks
  go_on,  ///< tell the user once, write nothing more, and let the program continue
};

/// How a LoadRecorder measures and what it writes. The names and defaults of the first three groups are those
/// of vt's arguments (`--vt_lb_data` is `lb_data`, and so on).
struct Settings {
  // LB data files, one per rank
  bool lb_data = false;                    ///< write them
  bool lb_data_compress = true;            ///< with brotli
  std::string lb_data_dir = "vt_lb_data";  ///< empty: the current directory
  std::string lb_data_file =
      "data.%p.json";  ///< %p is replaced by the rank, which is appended if %p is missing

  // which phases go into them
  bool lb_spec = false;      ///< write only the phases that lb_spec_file selects
  std::string lb_spec_file;  ///< path of a phase specification file

  // the LBStatsfile, written by rank 0
  bool lb_statistics = true;                                    ///< write it
  bool lb_statistics_compress = true;                           ///< with brotli
  std::string lb_statistics_file = "vt_lb_statistics.%t.json";  ///< %t is replaced by the local time
  std::string lb_statistics_dir;                                ///< empty: the current directory
  std::int64_t lb_statistics_freq = 100;  ///< phases whose number is a multiple of it are written; >= 1

  /// The load model behind the modelled loads of the statistics, in the notation of
  /// balance::make_load_model().
  std::string lb_load_model = "NaivePersistence";

  bool lb_quiet = false;        ///< do not print a summary line for each phase
  bool lb_show_config = false;  ///< print all settings at the start, with their origins

  // Settings that vt does not have.
  bool lb_data_overwrite = false;  ///< replace existing files
  bool lb_data_elide_identical =
      false;  ///< list phases with the same placement as the one before, do not write them
  OnWriteError lb_data_on_write_error = OnWriteError::stop;  ///< what to do when writing fails
  bool lb_cpu_time = false;      ///< also measure CPU time: two system calls for each begin() ... end()
  bool lb_system_clock = false;  ///< measure with clock_gettime instead of the time-stamp counter
  /// Finished phases kept in memory; more if the load model looks back further. >= 0
  std::int64_t lb_history = 1;

  /// Path of a YAML file with further settings; see Configuration::file().
  std::string input_config_yaml;

  MessageSink sink;  ///< empty: the default sink
};

/// The path of a rank's data file: `lb_data_dir`/`lb_data_file` with the first %p replaced by the rank, which
/// is appended if %p is missing. `.br` is appended to the name of a compressed file that lacks it.
std::string data_file_path(const Settings& settings, int rank);

/// The path of the LBStatsfile, with the first %t replaced by `local_time` (YYYY-MM-DD-HH-MM-SS), and `.br`
/// as for data files.
std::string statistics_file_path(const Settings& settings, std::string_view local_time);

}  // namespace plimsoll::runtime

namespace plimsoll::inline v0_1 {
using runtime::Settings;
}  // namespace plimsoll
