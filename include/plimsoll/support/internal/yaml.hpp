#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>

// Only declarations: code that inspects the document must include <yaml-cpp/yaml.h>.
namespace YAML {
class Node;
struct Mark;
}  // namespace YAML

namespace plimsoll::PLIMSOLL_ABI::support {

/// Parses a small YAML file with one document, written by a user; `name` is used in messages. Returns a null
/// node if the file contains only white space and comments. Throws Error (bad_input, with the line if known)
/// for text that is not YAML, control characters, a second document, and nesting that is too deep. Also
/// throws it for a text above 1 MiB and for more than 100,000 values. Values behind an alias count each time
/// the alias is used.
YAML::Node parse_yaml(std::string_view text, const std::string& name);

/// Function that reads the value of a member.
using ReadYaml = std::function<void(const YAML::Node& value, const std::string& key)>;
/// Members that a mapping may have, each with the function that reads its value.
using YamlMembers = std::vector<std::pair<std::string, ReadYaml>>;

/// Reads the members of a mapping; `name` is the file in messages. Throws Error (bad_input) for unknown and
/// duplicate members, and for keys that are not text.
void read_yaml_members(const YAML::Node& mapping, const std::string& name, const YamlMembers& members);

/// Creates an Error (bad_input) about the content at `mark` of file `name`.
Error yaml_error(const YAML::Mark& mark, const std::string& name, std::string what,
                 std::string suggestion = {});

}  // namespace plimsoll::support
