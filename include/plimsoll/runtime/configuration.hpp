#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
