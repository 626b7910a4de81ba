#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// A value that a program adds to its measurements, of a type that all readers of the files support.
using UserValue = std::variant<std::int64_t, double, std::string>;

/// Type of unsigned integers, of which some are not a UserValue.
template <class T>
concept UnsignedInteger = std::unsigned_integral<T> && sizeof(T) <= sizeof(std::uint64_t);
/// Returns the integer for the value `name`. Throws Error (usage) above 2^63 - 1.
UserValue integer_value(std::string_view name, std::uint64_t integer);

/// The JSON member of an object's task that contains a value.
enum class UserValueKind {
  user_defined,  ///< for users and their own tools
  attributes,    ///< also read by vt
};

/// Named values: the members of one JSON object.
class UserValues {
 public:
  /// Adds a value or replaces the one with this name. Throws Error (usage) for a number that is not finite.
  void set(std::string_view name, const UserValue& value);
  /// Adds or replaces an array of numbers, in the same way.
  void set_array(std::string_view name, std::span<const double> values);
  /// Adds or replaces a value that is given as JSON text. Does not check the text.
  void set_json(std::string_view name, std::string json);
  /// Adds the values of `other` whose names are missing here.
  void add_missing(const UserValues& other);
  /// Returns the value with this name; nothing if it is missing or not a UserValue. Parses its JSON text.
  std::optional<UserValue> get(std::string_view name) const;
  void remove(std::string_view name);
  bool empty() const { return members_.empty(); }
  void clear() { members_.clear(); }
  /// Returns the names and the JSON texts of the values, sorted by name.
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }
  /// Formats the values as a JSON object, with members in alphabetical order.
  std::string to_json() const;
  /// Formats the values as they would be after set_array(name, values).
  std::string to_json_with(std::string_view name, std::span<const double> values) const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::UserValueKind;
}  // namespace plimsoll
