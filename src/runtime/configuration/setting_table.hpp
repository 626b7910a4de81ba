#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Key in the YAML file's section `Load Balancing` or in one of its sub-sections.
struct YamlKey {
  std::string section;  ///< sub-section such as "LB Data Output"; empty for `Load Balancing` itself
  std::string key;

  friend bool operator==(const YamlKey&, const YamlKey&) = default;
};

/// Member of Settings with its names in arguments, environment, YAML file and documentation.
struct Setting {
  std::string name;  ///< setting name: "lb_data_dir"
  /// Sets the value that `text` specifies. Returns false and changes nothing if it is invalid.
  std::function<bool(Settings& settings, const std::string& text)> assign;
  /// Returns the value in `settings` as a string that assign() accepts.
  std::function<std::string(const Settings& settings)> text;
  std::string expected;       ///< the values that assign() accepts: "an integer >= 1"
  std::vector<YamlKey> keys;  ///< YAML keys; the documentation uses the first
  std::string help;           ///< help text in one line, with the unit
  /// Whether all ranks use the value of rank 0, because it decides about collective calls, or about loads
  /// that are compared.
  bool shared = false;
  bool is_flag = false;
  bool is_text = false;
};

/// Returns all settings, in the order in which they are listed.
const std::vector<Setting>& setting_table();

/// Returns the argument or the environment variable of a setting: "--vt_lb_data_dir", "PLIMSOLL_LB_DATA_DIR".
std::string argument_name(std::string_view name);
std::string variable_name(std::string_view name);

/// Function that converts the name of a setting, such as lb_data_dir, to the word that users write:
/// argument_name() or variable_name(). Null: users write the name itself.
using Spelling = std::string (*)(std::string_view);

/// Returns the setting for `word`, or nullptr if the word does not concern this library. Throws Error (usage)
/// for a word that looks like a setting but is unknown, because it has the prefix. This includes an argument
/// that is similar to a setting and whose prefix only has other dashes, underscores or upper case
/// (`-vt_lb_data`, `--vt-lb-data`): without the error, the program would run without the setting.
const Setting* find_setting(const std::string& word, Spelling spelled);

/// Creates the Error (usage) for a word that is not a setting. It suggests the nearest one.
Error unknown_setting(const std::string& word, Spelling spelled);

/// Throws Error (usage) unless the setting accepts `value`, which was specified at `from`.
void expect_valid(const Setting& setting, const std::string& value, const std::string& from);

/// Defaults of settings that a C or Fortran program sets one by one. A C++ program passes Settings instead.
class ProgramDefaults {
 public:
  /// Sets the default of a setting such as "lb_data_dir". As in the other sources of settings, a setting
  /// lb_statistics_... also sets lb_statistics, unless the program sets that itself. Throws Error (usage) for
  /// an unknown name, suggesting the nearest one, and for an invalid value.
  void set(const std::string& name, const std::string& value);

  const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
  bool sets_statistics_ = false;
};

/// A valid value of a setting in a configuration file.
struct FileValue {
  const Setting* setting;
  std::string text;
  int line;  ///< line number from 1
};

/// Reads section `Load Balancing` of vt's YAML file (`--vt_input_config_yaml`), in the order of the file.
/// Ignores other sections, which belong to other libraries. Throws Error (bad_input, with line) for text
/// beyond 1 MiB, invalid YAML, unknown keys and invalid values.
std::vector<FileValue> read_configuration_file(std::string_view text, const std::string& name);

/// Parses lb_work: "ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]" with finite numbers >= 0. Returns nothing for other
/// text, also for an empty text.
std::optional<balance::WorkCoefficients> parse_lb_work(const std::string& text);

/// Throws Error (usage) if lb_name does not exist, or for invalid lb_args.
void check_lb_name(const Settings& settings);

/// Throws Error (usage) if the schedule uses OfflineLB without lb_data_in or TestSerializationLB without
/// lb_self_migration.
void require_inputs(const Settings& settings, const balance::LbSchedule& schedule);

/// Returns the strategy of each phase. `file_text` is the text of lb_file_name. The schedule is empty unless
/// lb is set. Throws Error (usage) like check_lb_name(), and for OfflineLB without lb_data_in or
/// TestSerializationLB without lb_self_migration. Throws Error (bad_input) like balance::LbSchedule::parse().
balance::LbSchedule make_lb_schedule(const Settings& settings, std::string_view file_text);

}  // namespace plimsoll::runtime
