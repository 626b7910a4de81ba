#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// Reads Settings from, in this order of precedence: arguments of the program (`--vt_lb_data_dir=out`),
/// environment variables (`PLIMSOLL_LB_DATA_DIR=out`), a YAML file (`--vt_input_config_yaml=FILE` or
/// `PLIMSOLL_INPUT_CONFIG_YAML`; section `Load Balancing` with vt's keys), and what the program gives as default.
///
/// Throws Error (usage) for what has the prefix and is not known, naming the nearest; for a value that is not
/// one; for arguments of vt's that this library does not have yet. (bad_input for a broken file, with line.)
class Configuration {
 public:
  explicit Configuration(Settings defaults = {});

  /// Takes the `--vt_lb_*` and `--vt_input_config_yaml` arguments out of a program's; the others stay as they are.
  /// Both `--name=value` and `--name value` are understood; flags also as `--flag` and `--flag=false`. All from `--`
  /// on is the program's.
  void take_arguments(int& argc, char** argv);
  /// Variables whose names begin with PLIMSOLL_LB_, and PLIMSOLL_INPUT_CONFIG_YAML.
  void take_environment(const std::map<std::string, std::string>& environment);
  /// Those of this process.
  void take_environment();
  /// The file to read, empty if none was named.
  std::string file() const;
  /// The content of that file.
  void take_file(std::string_view text, const std::string& name);

  /// All together.
  Settings settings() const;
  /// A table of every setting, its value and where it came from, as `--vt_lb_show_config` prints it.
  std::string table() const;

 private:
  struct Given {
    std::string value;
    std::string from;  ///< "--vt_lb_data_dir", "PLIMSOLL_LB_DATA_DIR", "FILE:7"
  };
  void give(int precedence, const std::string& name, Given given);

  Settings defaults_;
  std::string file_;
  std::map<std::string, std::map<int, Given>> given_;  // by name ("lb_data_dir") and precedence
};

}  // namespace plimsoll::runtime
