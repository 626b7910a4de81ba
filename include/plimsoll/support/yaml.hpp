#pragma once

#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>

// A reader that takes the document apart includes <yaml-cpp/yaml.h> itself.
namespace YAML {
class Node;
struct Mark;
}  // namespace YAML

namespace plimsoll::inline v0_1::support {

/// The one document of a small YAML file that users write by hand; `name` is for messages. A null node if the
/// file is blank. Throws Error (bad_input, with the line where known) for a text beyond 1 MiB, more than
/// 100,000 values (those that an alias stands for count each time it is used), control characters, text that
/// is not YAML, nesting that is too deep, and a second document.
YAML::Node parse_yaml(std::string_view text, const std::string& name);

/// Error (bad_input) about what is at `mark` of file `name`.
Error yaml_error(const YAML::Mark& mark, const std::string& name, std::string what,
                 std::string suggestion = {});

}  // namespace plimsoll::support
