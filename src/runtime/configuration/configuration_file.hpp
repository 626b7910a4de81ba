#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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

}  // namespace plimsoll::runtime
