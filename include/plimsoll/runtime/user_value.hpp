#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::runtime {

/// A value that a program adds to its measurements: what every reader of the files understands.
using UserValue = std::variant<std::int64_t, double, std::string>;

/// Where a value of an object stands in the file.
enum class UserValueKind {
  user_defined,  ///< shown to people and kept for tools of the program's own
  attributes,    ///< also read back by vt
};

/// Values under their names: one JSON object.
class UserValues {
 public:
  /// Replaces the value if the name has one. Throws Error (usage) for a number that is not finite.
  void set(std::string_view name, const UserValue& value);
  void remove(std::string_view name);
  bool empty() const { return members_.empty(); }
  void clear() { members_.clear(); }
  /// The JSON object, members in alphabetical order.
  std::string to_json() const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // name and JSON text, ascending
};

}  // namespace plimsoll::runtime

namespace plimsoll {
using runtime::UserValueKind;
}  // namespace plimsoll
