#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Destination of the runtime's messages, each one line without a newline. The default is stderr. Rank 0
/// sends all messages, except for the watchdog's, which may come from any rank.
using MessageSink = std::function<void(std::string_view)>;

/// Action when LB data can no longer be written, e.g. because the disk is full.
enum class OnWriteError {
  stop,   ///< next_phase() throws on all ranks
  go_on,  ///< print one message, stop writing, and let the program continue
};

/// Whether ranks wait for each other between the subphases of a phase.
enum class SubphaseMode {
  free,         ///< ranks do not wait for each other between subphases
  synchronised  ///< ranks wait for each other after each subphase, so the slowest rank of each counts
};

/// Time that counts as the load of an object.
enum class LoadTime {
  /// Wall-clock time between begin() and end(). Decisions do not count the time in which other processes had
  /// the core of the rank.
  automatic,
  wall,    ///< wall-clock time between begin() and end()
  cpu,     ///< CPU time of the thread between begin() and end(), which other processes do not affect
  device,  ///< time of the rank's device (GPU): LoadRecorder::add_device_time()
};

/// Settings of a LoadRecorder: measurement and output. The first three groups have the names and defaults of
/// vt's arguments (`--vt_lb_data` is `lb_data`, and so on).
// The members are sorted by topic, at the cost of padding.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Settings {
  // LB data files, one per rank.
  bool lb_data = false;                    ///< write LB data files
  bool lb_data_compress = true;            ///< compress with brotli
  std::string lb_data_dir = "vt_lb_data";  ///< output directory; empty: the current directory
  std::string lb_data_file =
      "data.%p.json";  ///< file name; %p is replaced by the rank, which is appended if %p is missing

  // Phases that are written to the LB data files.
  bool lb_spec = false;      ///< write only the phases that lb_spec_file selects
  std::string lb_spec_file;  ///< path of the phase specification file

  // LBStatsfile, written by rank 0. If an argument, a variable or the YAML file sets one of the other
  // lb_statistics_..., lb_statistics is true unless it is also set there.
  bool lb_statistics = false;          ///< write the LBStatsfile
  bool lb_statistics_compress = true;  ///< compress with brotli
  std::string lb_statistics_file =
      "vt_lb_statistics.%t.json";         ///< file name; %t is replaced by the local time
  std::string lb_statistics_dir;          ///< output directory; empty: the current directory
  std::int64_t lb_statistics_freq = 100;  ///< phase interval: only phases divisible by it are written; >= 1

  /// Load model that predicts the loads of the next phase, for decisions and for the modelled loads of the
  /// statistics; in the notation of balance::make_load_model().
  std::string lb_load_model = "NaivePersistence";

  // Balancing while the program runs.
  bool lb = false;                     ///< balance
  std::string lb_name = "NoLB";        ///< strategy, as balance::StrategySpec::parse() reads it
  std::string lb_args;                 ///< parameters of the strategy: "key=value key=value"
  std::int64_t lb_interval = 1;        ///< phases between two runs of the strategy; >= 1
  std::string lb_file_name;            ///< LB configuration file (balance::LbSchedule); excludes lb_name
  bool lb_run_lb_first_phase = false;  ///< also balance in phase 0
  bool lb_keep_last_elm = false;       ///< do not migrate the last element of a collection on a rank
  bool lb_self_migration = false;      ///< also migrate objects to the rank that they are on
  bool lb_data_in = false;             ///< read recorded placements, for OfflineLB
  std::string lb_data_dir_in = "vt_lb_data_in";  ///< directory of the recorded placements
  std::string lb_data_file_in = "data.%p.json";  ///< file name, with %p as in lb_data_file
  std::string lb_decisions;                      ///< file for the decisions of strategies; empty: none
  std::string lb_decisions_in;  ///< file with decisions to repeat instead of running strategies; empty: none
  bool help_lb_args = false;    ///< print the parameters of strategies instead of running

  bool lb_quiet = false;        ///< do not print a summary line per phase
  bool lb_show_config = false;  ///< print all settings at the start, with their origins

  // Settings that vt does not have.
  std::string lb_when = "pays";  ///< condition for balancing: pays, always, or a minimum imbalance
  /// Coefficients of the work model, "alpha,beta,gamma,delta,beta_node", of which the last two are optional;
  /// empty: none.
  std::string lb_work;
  /// What strategies assume about the subphases of a phase.
  SubphaseMode lb_subphases = SubphaseMode::free;
  bool lb_measure_speed = false;   ///< measure the relative speeds of the ranks' processors at the start
  bool lb_data_overwrite = false;  ///< replace existing files
  bool lb_data_elide_identical =
      false;  ///< only list phases with the same placement as the previous phase, do not write them
  OnWriteError lb_data_on_write_error = OnWriteError::stop;  ///< action when writing LB data fails
  bool lb_auto_idle = false;  ///< count blocking MPI calls as idle time; requires plimsoll::auto_idle
  /// Time that counts as load. cpu: CPU time of the measuring threads; two system calls per begin() ... end()
  LoadTime lb_loads = LoadTime::automatic;
  bool lb_cpu_time = false;      ///< also measure CPU time: two system calls per begin() ... end()
  bool lb_system_clock = false;  ///< measure with clock_gettime instead of the time-stamp counter
  /// Number of completed phases kept in memory; more if the load model needs them. >= 0
  std::int64_t lb_history = 1;
  /// Check at each phase end that each object is on one rank only, and that the objects in messages exist
  bool lb_check = false;
  /// Seconds after which a rank that waits at the end of a phase reports the ranks that it waits for; 0:
  /// never
  std::int64_t lb_watchdog = 60;

  /// Path of a YAML file with further settings; see Configuration::file().
  std::string input_config_yaml;

  MessageSink sink;  ///< destination of messages; empty: the default sink
};

/// Returns the path of the data file of `rank`: `lb_data_dir`/`lb_data_file` with the first %p replaced by
/// the rank, which is appended if %p is missing. `.br` is appended to the name of a compressed file that
/// lacks it.
std::string data_file_path(const Settings& settings, int rank);
/// Returns the same path for all ranks, with %p in place of the rank.
std::string data_file_pattern(const Settings& settings);

/// Returns the path of the file with the recorded placement of `rank`: `lb_data_dir_in`/`lb_data_file_in`,
/// with %p as in data_file_path(). Never appends `.br`, like vt.
std::string input_file_path(const Settings& settings, int rank);

/// Returns the path of the LBStatsfile, with the first %t replaced by `local_time` (YYYY-MM-DD-HH-MM-SS).
/// `.br` is appended as for data files. If the name is taken, the numbers 2, 3, ... return other names: `-2`
/// is inserted before the suffix.
std::string statistics_file_path(const Settings& settings, std::string_view local_time, int number = 1);

/// Reads Settings from several sources, in this order of precedence: arguments of the program
/// (`--vt_lb_data_dir=out`), environment variables (`PLIMSOLL_LB_DATA_DIR=out`), a YAML file, and the
/// program's defaults. `--vt_input_config_yaml=FILE` or `PLIMSOLL_INPUT_CONFIG_YAML` specifies the YAML file;
/// its section `Load Balancing` has vt's keys. If one source sets a value twice, the last one wins.
///
/// Throws Error (usage) for an unknown name with the prefix, or with a misspelt prefix such as `--vt-lb-`,
/// suggesting the nearest known one, and for an invalid value. docs/reference/settings.md lists all settings.
class Configuration {
 public:
  explicit Configuration(Settings defaults = {});

  /// Reads the arguments `--vt_lb*` and `--vt_input_config*` and removes them from argv; the other arguments
  /// keep their order. Accepts `--name=value`, `--name value` and, for flags, `--flag`, which takes no second
  /// word. `--` and everything after it belong to the program. If the function throws, argc and argv are
  /// unchanged.
  void take_arguments(int& argc, char** argv);
  /// Reads the variables whose names begin with PLIMSOLL_LB or PLIMSOLL_INPUT_CONFIG.
  void take_environment(const std::map<std::string, std::string>& environment);
  /// Reads these variables from the environment of this process.
  void take_environment();
  /// Returns the path of the YAML file, or an empty string if no setting specifies one.
  std::string file() const;
  /// Reads settings from `text`, the content of the YAML file. Throws Error (bad_input, with line) if it is
  /// not valid YAML, or if its section `Load Balancing` has unknown keys or invalid values.
  void take_file(std::string_view text, const std::string& name);

  /// Returns the settings from all sources. Throws Error (usage) for invalid defaults, for lb_spec without
  /// lb_spec_file, for an invalid lb_load_model, lb_name or lb_args, and if lb_name and lb_file_name come
  /// from the same kind of source: the program, or its user.
  Settings settings() const;
  /// Returns messages about settings that have no effect: lb_spec_file, unless lb_spec is set (to any value),
  /// and lb_name of the user, not of the program, unless lb is set.
  std::vector<std::string> warnings() const;
  /// Formats a table of all settings with their values and origins, as `--vt_lb_show_config` prints it.
  std::string table() const;

 private:
  enum class Precedence { file, environment, argument };
  struct Given {
    Precedence precedence;
    std::string value;
    std::string from;  ///< where it was set: "--vt_lb_data_dir", "PLIMSOLL_LB_DATA_DIR", "FILE:7"
  };
  void give(const std::string& name, Given given);
  Settings merged() const;
  /// Resolves lb_name and lb_file_name, of which only one may be set.
  void choose_schedule(Settings& settings) const;
  /// Runs a check of a setting, and adds its name and origin to errors.
  template <typename Check>
  void check_value(const std::string& name, const Check& check) const;
  std::string origin(const std::string& name) const;
  /// Returns a setting lb_statistics_... that shows that the user wants the LBStatsfile; null without one, or
  /// if lb_statistics itself is set.
  const Given* implied_statistics() const;

  Settings defaults_;
  std::map<std::string, Given> given_;  // values by setting name ("lb_data_dir")
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::LoadTime;
using runtime::Settings;
using runtime::SubphaseMode;
}  // namespace plimsoll
