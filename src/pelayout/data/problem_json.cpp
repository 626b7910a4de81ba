#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

const Component* Problem::find(const std::string& name) const {
  for (const Component& component : components)
    if (component.name == name) return &component;
  return nullptr;
}
Problem parse_problem(std::string_view, const std::string&) {
  throw support::usage_error("unfinished");
}
Problem read_problem(const std::string&) {
  throw support::usage_error("unfinished");
}
std::string to_json(const Problem&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
