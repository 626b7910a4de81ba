#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/quoted.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// A value and its name in options and messages. Arrays of them are tables of an enumeration:
///
///     constexpr Named<Colour> colours[] = {{"red", Colour::red}, {"green", Colour::green}};
template <class Value>
struct Named {
  const char* name;
  Value value;
};

/// Returns the names in a table, in its order.
template <class Value, std::size_t n>
std::vector<std::string> names_of(const Named<Value> (&table)[n]) {
  std::vector<std::string> names;
  for (const Named<Value>& entry : table) names.emplace_back(entry.name);
  return names;
}

/// Returns the value of a name. Throws unknown_name() for a name that is not in the table; `kind` is the kind
/// of the names, such as "strategy".
template <class Value, std::size_t n>
Value value_of(const Named<Value> (&table)[n], std::string_view name, std::string_view kind) {
  for (const Named<Value>& entry : table)
    if (entry.name == name) return entry.value;
  throw unknown_name(kind, name, names_of(table));
}

/// Returns the name of a value; empty if it is not in the table.
template <class Value, std::size_t n>
const char* name_of(const Named<Value> (&table)[n], Value value) {
  for (const Named<Value>& entry : table)
    if (entry.value == value) return entry.name;
  return "";
}

}  // namespace plimsoll::support
