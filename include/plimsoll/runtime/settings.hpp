#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::runtime {

/// Where the runtime's lines of text go, each without a newline. The default is rank 0's stderr.
using MessageSink = std::function<void(std::string_view)>;

/// What to do when LB data cannot be written any more (disk full, say).
enum class OnWriteError {
  stop,   ///< next_phase() throws on all ranks
  go_on,  ///< say it once, write no further data, and let the program run
};

/// How a LoadRecorder measures and what it writes. The names and defaults of the first three groups are those
/// of vt's arguments (`--vt_lb_data` is `lb_data`, and so on).
struct Settings {
  // LB data files, one per rank
  bool lb_data = false;
  bool lb_data_compress = true;
  std::string lb_data_dir = "vt_lb_data";     ///< the current one if empty
  std::string lb_data_file = "data.%p.json";  ///< %p is the rank; appended when absent

  // which phases go into them
  bool lb_spec = false;
  std::string lb_spec_file;

  // the LBStatsfile, written by rank 0
  bool lb_statistics = true;
  bool lb_statistics_compress = true;
  std::string lb_statistics_file = "vt_lb_statistics.%t.json";  ///< %t is the local time
  std::string lb_statistics_dir;                                ///< the current one if empty
  std::int64_t lb_statistics_freq = 100;                        ///< phases divisible by it are written; >= 1

  /// The loads that the statistics tell as modelled, as balance::make_load_model() takes it.
  std::string lb_load_model = "NaivePersistence";

  bool lb_quiet = false;        ///< no summary line for each phase
  bool lb_show_config = false;  ///< print the settings at the start, and where each came from

  // What vt does not have.
  bool lb_data_overwrite = false;        ///< whether existing files may be replaced
  bool lb_data_elide_identical = false;  ///< phases placed as before are listed instead of written
  OnWriteError lb_data_on_write_error = OnWriteError::stop;
  bool lb_cpu_time = false;      ///< measure CPU time too: two system calls for each begin() ... end()
  bool lb_system_clock = false;  ///< clock_gettime, not the time-stamp counter
  std::int64_t lb_history =
      1;  ///< finished phases kept in memory, more if the load model looks back further; >= 0

  /// A YAML file with more settings, which a Configuration names in file().
  std::string input_config_yaml;

  MessageSink sink;  ///< the default if empty
};

/// The path of a rank's data file: `lb_data_dir`/`lb_data_file` with the first %p replaced by the rank (the
/// rank appended where there is no %p) and `.br` appended if compressed and not there.
std::string data_file_path(const Settings& settings, int rank);

/// The path of the LBStatsfile: the first %t replaced by `local_time` (YYYY-MM-DD-HH-MM-SS), `.br` as above.
std::string statistics_file_path(const Settings& settings, std::string_view local_time);

}  // namespace plimsoll::runtime

namespace plimsoll {
using runtime::Settings;
}  // namespace plimsoll
