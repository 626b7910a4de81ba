#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::inline v0_1::runtime {

/// A value that a configuration file gives; it is one that the setting takes.
struct FileValue {
  const Setting* setting;
  std::string text;
  int line;  ///< from 1
};

/// Reads section `Load Balancing` of a YAML file of vt's (`--vt_input_config_yaml`), in the order of the
/// file. Other sections are other libraries'. Throws Error (bad_input, with line) for text beyond 1 MiB or
/// that is not YAML, for unknown keys and wrong values, and for what would switch on a load balancer of vt's.
std::vector<FileValue> read_configuration_file(std::string_view text, const std::string& name);

}  // namespace plimsoll::runtime
