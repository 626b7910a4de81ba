#pragma once

#include <map>
#include <string>
#include <string_view>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// Reads Settings from, in this order of precedence: arguments of the program (`--vt_lb_data_dir=out`),
/// environment variables (`PLIMSOLL_LB_DATA_DIR=out`), a YAML file (`--vt_input_config_yaml=FILE` or
/// `PLIMSOLL_INPUT_CONFIG_YAML`; section `Load Balancing` with vt's keys), and what the program gives as
/// default. Of a setting given twice in one of them, the last counts.
///
/// Throws Error (usage) for what has the prefix and is not known, naming the nearest; for a value that is not
/// one; for arguments of vt's that this library does not have. docs/configuration.md lists all.
class Configuration {
 public:
  explicit Configuration(Settings defaults = {});

  /// Takes the `--vt_lb*` and `--vt_input_config*` arguments out of a program's; the others stay in their
  /// order. Both `--name=value` and `--name value` are understood; flags also as `--flag`, which has no
  /// second word. All from `--` on is the program's. Where it throws, argc and argv are unchanged.
  void take_arguments(int& argc, char** argv);
  /// Variables whose names begin with PLIMSOLL_LB or PLIMSOLL_INPUT_CONFIG.
  void take_environment(const std::map<std::string, std::string>& environment);
  /// Those of this process.
  void take_environment();
  /// The file to read, empty if none was named.
  std::string file() const;
  /// The content of that file. Throws Error (bad_input, with line) if it is no YAML or has a section
  /// `Load Balancing` with unknown keys or wrong values.
  void take_file(std::string_view text, const std::string& name);

  /// All together. Throws Error (usage) for defaults that are not possible, for lb_spec without
  /// lb_spec_file, and for an lb_load_model that is none.
  Settings settings() const;
  /// A table of every setting, its value and where it came from, as `--vt_lb_show_config` prints it.
  std::string table() const;

 private:
  enum class Precedence { file, environment, argument };
  struct Given {
    Precedence precedence;
    std::string value;
    std::string from;  ///< "--vt_lb_data_dir", "PLIMSOLL_LB_DATA_DIR", "FILE:7"
  };
  void give(const std::string& name, Given given);
  Settings merged() const;
  std::string origin(const std::string& name) const;

  Settings defaults_;
  std::map<std::string, Given> given_;  // by name ("lb_data_dir")
};

}  // namespace plimsoll::runtime
