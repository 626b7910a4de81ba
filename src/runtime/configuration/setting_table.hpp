#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Key in the YAML file's section `Load Balancing` or in one of its sub-sections.
struct YamlKey {
  std::string section;  ///< sub-section such as "LB Data Output"; empty for `Load Balancing` itself
  std::string key;

  friend bool operator==(const YamlKey&, const YamlKey&) = default;
};

// Types of settings, with the member of Settings that holds the value.
struct FlagField {
  bool Settings::*field;
};
struct TextField {
  std::string Settings::*field;
  bool may_be_empty;
};
struct IntegerField {
  std::int64_t Settings::*field;
  std::int64_t minimum;
};
struct CheckedTextField {
  std::string Settings::*field;
  bool (*accepts)(const std::string& text);
  const char* expected;
};
struct OnWriteErrorField {
  OnWriteError Settings::*field;
};
struct LoadTimeField {
  LoadTime Settings::*field;
};

/// Member of Settings with its names in arguments, environment, YAML file and documentation.
struct Setting {
  std::string name;  ///< setting name: "lb_data_dir"
  std::variant<FlagField, TextField, CheckedTextField, IntegerField, OnWriteErrorField, LoadTimeField> kind;
  std::vector<YamlKey> keys;  ///< YAML keys; the documentation uses the first
  std::string help;           ///< help text in one line, with the unit
  /// Whether all ranks use the value of rank 0, because it decides about collective calls, or about loads
  /// that are compared.
  bool shared = false;

  bool is_flag() const { return std::holds_alternative<FlagField>(kind); }
  bool is_text() const {
    return std::holds_alternative<TextField>(kind) || std::holds_alternative<CheckedTextField>(kind);
  }
  /// Sets the value that `text` specifies. Returns false and changes nothing if it is invalid.
  bool assign(Settings& settings, const std::string& text) const;
  /// Returns the value in `settings` as a string that assign() accepts.
  std::string text(const Settings& settings) const;
  /// Describes the values that assign() accepts: "an integer >= 1".
  std::string expected() const;
};

/// Returns all settings, in the order in which they are listed.
const std::vector<Setting>& setting_table();

/// Returns the argument or the environment variable of a setting: "--vt_lb_data_dir", "PLIMSOLL_LB_DATA_DIR".
std::string argument_name(std::string_view name);
std::string variable_name(std::string_view name);

}  // namespace plimsoll::runtime
