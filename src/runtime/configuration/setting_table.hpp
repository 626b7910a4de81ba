#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::inline v0_1::runtime {

/// A key of the YAML file's section `Load Balancing`, or of one of its sub-sections.
struct YamlKey {
  std::string section;  ///< "LB Data Output", say; empty for `Load Balancing` itself
  std::string key;

  friend bool operator==(const YamlKey&, const YamlKey&) = default;
};

// What the text of a setting can be, and where in Settings its value goes.
struct FlagField {
  bool Settings::*field;
};
struct TextField {
  std::string Settings::*field;
  bool may_be_empty;
};
struct IntegerField {
  std::int64_t Settings::*field;
  std::int64_t least;
};
struct OnWriteErrorField {
  OnWriteError Settings::*field;
};

/// One member of Settings, as arguments, environment, YAML file and documentation know it.
struct Setting {
  std::string name;  ///< "lb_data_dir"
  std::variant<FlagField, TextField, IntegerField, OnWriteErrorField> kind;
  std::vector<YamlKey> keys;  ///< the first is the documented one
  std::string help;           ///< one line, with the unit

  bool is_flag() const { return std::holds_alternative<FlagField>(kind); }
  bool is_text() const { return std::holds_alternative<TextField>(kind); }
  /// Gives it the value that `text` stands for; false, and nothing done, if that is none.
  bool assign(Settings& settings, const std::string& text) const;
  /// Its value in `settings`, as a text that assign() takes.
  std::string text(const Settings& settings) const;
  /// What assign() takes: "an integer of at least 1".
  std::string expected() const;
};

/// All of them, in the order in which they are shown.
const std::vector<Setting>& setting_table();

/// A setting of vt's that concerns running a load balancer, which this library does not have.
struct VtSetting {
  std::string name;  ///< "lb_interval"
  std::optional<YamlKey> key;
  /// The value with which it switches nothing on; none if it switches nothing on by itself, with any value.
  std::optional<std::string> off;

  bool switches_nothing_on(const std::string& text) const;
};

const std::vector<VtSetting>& vt_setting_table();

/// The argument and the environment variable that a name stands for: "--vt_lb_data_dir",
/// "PLIMSOLL_LB_DATA_DIR".
std::string argument_name(std::string_view name);
std::string variable_name(std::string_view name);

}  // namespace plimsoll::runtime
