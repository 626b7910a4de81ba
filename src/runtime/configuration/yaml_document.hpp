#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>

namespace plimsoll::runtime {

/// The document of a YAML file `name`: a map, empty if the file is blank. Throws Error (bad_input, with line)
/// for text beyond 1 MiB, text that is not YAML, a second document, and one that is not a map.
YAML::Node read_yaml_document(std::string_view text, const std::string& name);

/// Throws Error (bad_input) about what is at `mark` of file `name`.
[[noreturn]] void fail_at(const YAML::Mark& mark, const std::string& name, std::string what,
                          std::string suggestion = {});

}  // namespace plimsoll::runtime
