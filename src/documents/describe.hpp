#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plimsoll/documents/description.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

// A structure is described by a specialisation, in the order of its keys:
//
//     template <>
//     inline constexpr std::array fields<Run> = {
//         field<&Run::file>("file", "path of the file"),
//         field<&Run::time, &Time::mean_s>("mean_s", "mean time"),
//     };
//
// A path leads from the structure to the value: pointers to members, to member functions and to functions.

/// The description of a structure.
template <class Value>
constexpr std::nullptr_t fields = nullptr;

template <class Value>
concept Described = !std::same_as<std::remove_cv_t<decltype(fields<Value>)>, std::nullptr_t>;

/// Returns the name of a type, with those of its namespaces.
template <class Value>
constexpr std::string_view qualified_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t begin = function.find("Value = ") + 8;
  return function.substr(begin, function.find_first_of(";]", begin) - begin);
}

template <Described Value>
constexpr Structure structure_of = {qualified_name<Value>(), fields<Value>};

/// A value that is JSON already.
struct RawJson {
  std::string text;
};

/// Named values in an order of their own, which documents contain as an object.
template <class Value>
struct NamedValues : std::vector<std::pair<std::string_view, Value>> {
  using key_type = std::string_view;
  using mapped_type = Value;
};

namespace detail {

template <class Value>
concept Text = std::convertible_to<Value, std::string_view>;
template <class Value>
concept Map = requires {
  typename Value::key_type;
  typename Value::mapped_type;
};
template <class Value>
concept Tuple = requires {
  std::tuple_size<Value>::value;
}
&&!std::ranges::range<Value>;
template <class Value>
concept Variant = requires {
  std::variant_size<Value>::value;
};
template <class Value>
concept Optional = std::is_pointer_v<Value> || requires {
  typename Value::value_type;
  requires std::same_as<Value, std::optional<typename Value::value_type>>;
};

template <class Value>
constexpr Type make_type();

template <class Value>
constexpr Type type_of = make_type<Value>();

/// Returns the type of the first alternative for structures, which then differ in their keys only.
template <class First, class... Rest>
constexpr Type type_of_alternatives(const std::variant<First, Rest...>*) {
  if constexpr (Described<First>) return type_of<First>;
  constexpr bool are_numbers = std::is_arithmetic_v<First> && (std::is_arithmetic_v<Rest> && ...);
  return {.kind = are_numbers ? Type::Kind::number : Type::Kind::any};
}

template <class Value>
constexpr Type make_type() {
  using Kind = Type::Kind;
  if constexpr (Text<Value> || std::is_enum_v<Value>)
    return {.kind = Kind::text};
  else if constexpr (std::same_as<Value, bool>)
    return {.kind = Kind::boolean};
  else if constexpr (std::integral<Value>)
    return {.kind = Kind::integer};
  else if constexpr (std::floating_point<Value>)
    return {.kind = Kind::number};
  else if constexpr (Described<Value>)
    return {.kind = Kind::structure, .structure = &structure_of<Value>};
  else if constexpr (Optional<Value>) {
    Type type = type_of<std::remove_cvref_t<decltype(*std::declval<Value>())>>;
    type.is_nullable = !std::is_pointer_v<Value>;  // fields state which pointers may be null
    return type;
  } else if constexpr (Map<Value>)
    return {.kind = Kind::map, .element = &type_of<typename Value::mapped_type>};
  else if constexpr (requires { std::tuple_size<Value>::value; })
    return {.kind = Kind::list,
            .size = std::tuple_size_v<Value>,
            .element = &type_of<std::tuple_element_t<0, Value>>};
  else if constexpr (std::ranges::input_range<Value>)
    return {.kind = Kind::list, .element = &type_of<std::ranges::range_value_t<Value>>};
  else if constexpr (Variant<Value>)
    return type_of_alternatives(static_cast<const Value*>(nullptr));
  else
    return {.kind = Kind::any};
}

template <class Value>
bool is_empty(const Value& value) {
  if constexpr (Optional<Value>)
    return !value;
  else if constexpr (requires { value.empty(); })
    return value.empty();
  else
    return false;
}

template <class Value>
void write_value(support::JsonWriter& json, const Value& value) {
  if constexpr (Described<Value>) {
    json.begin_object();
    write_members(json, structure_of<Value>, &value);
    json.end_object();
  } else if constexpr (std::same_as<Value, RawJson>) {
    json.raw(value.text);
  } else if constexpr (Text<Value>) {
    json.value(std::string_view(value));
  } else if constexpr (Optional<Value>) {
    if (value)
      write_value(json, *value);
    else
      json.null();
  } else if constexpr (std::is_enum_v<Value>) {
    json.value(to_string(value));
  } else if constexpr (Map<Value>) {
    json.begin_object();
    for (const auto& [name, each] : value) write_value(json.key(name), each);
    json.end_object();
  } else if constexpr (std::ranges::input_range<Value>) {
    json.begin_array();
    for (const auto& each : value) write_value(json, each);
    json.end_array();
  } else if constexpr (Tuple<Value>) {
    json.begin_array();
    std::apply([&](const auto&... each) { (write_value(json, each), ...); }, value);
    json.end_array();
  } else if constexpr (Variant<Value>) {
    std::visit([&](const auto& alternative) { write_value(json, alternative); }, value);
  } else {
    json.value(value);
  }
}

template <class Value>
void write_field(support::JsonWriter& json, const Field& field, const Value& value) {
  const bool empty = is_empty(value);
  if (field.is_absent_if_empty && empty) return;
  json.key(field.key);
  if (field.is_null_if_empty && empty)
    json.null();
  else
    write_value(json, value);
}

template <class Value>
void write_merged(support::JsonWriter& json, const Value& value) {
  if constexpr (Described<Value>)
    write_members(json, structure_of<Value>, &value);
  else if (value)
    write_merged(json, *value);
}

/// Calls `use` with the value at the end of a path. Temporary values on the path live until it returns.
template <auto step, auto... rest, class From>
constexpr decltype(auto) follow(const From& from, auto&& use) {
  if constexpr (std::is_pointer_v<From>)
    return follow<step, rest...>(*from, use);
  else if constexpr (sizeof...(rest) == 0)
    return use(std::invoke(step, from));
  else
    return follow<rest...>(std::invoke(step, from), use);
}

template <class Structure, class Value>
Structure owner_of(Value Structure::*);
template <class Structure, class Value>
Structure owner_of(Value (*)(const Structure&));

template <auto step>
using Owner = decltype(owner_of(step));

template <class Value>
struct Tag {
  using type = Value;
};

template <auto step, auto... path>
using ValueAt = typename decltype(follow<step, path...>(std::declval<const Owner<step>&>(), [](auto&& value) {
  return Tag<std::remove_cvref_t<decltype(value)>>();
}))::type;

template <auto step, auto... path>
void write_at(support::JsonWriter& json, const Field& field, const void* structure) {
  follow<step, path...>(*static_cast<const Owner<step>*>(structure),
                        [&](const auto& value) { write_field(json, field, value); });
}

template <auto step, auto... path>
void write_merged_at(support::JsonWriter& json, const Field&, const void* structure) {
  follow<step, path...>(*static_cast<const Owner<step>*>(structure),
                        [&](const auto& value) { write_merged(json, value); });
}

template <class Entry, auto step, auto... path>
void write_entries(support::JsonWriter& json, const Field& field, const void* structure) {
  json.key(field.key).begin_array();
  follow<step, path...>(*static_cast<const Owner<step>*>(structure), [&](const auto& map) {
    for (const auto& [first, second] : map) write_value(json, Entry{first, second});
  });
  json.end_array();
}

}  // namespace detail

/// Describes the value at the end of a path.
template <auto step, auto... path>
constexpr Field field(std::string_view key, std::string_view meaning = "") {
  return {key, meaning, &detail::type_of<detail::ValueAt<step, path...>>, detail::write_at<step, path...>};
}

/// Describes the fields of a structure at the end of a path as fields of this structure. They are omitted if
/// it is empty.
template <auto step, auto... path>
constexpr Field merged() {
  return {"", "", &detail::type_of<detail::ValueAt<step, path...>>, detail::write_merged_at<step, path...>};
}

/// Describes a map as a list of entries, which are structures of its key and its value.
template <class Entry, auto step, auto... path>
constexpr Field entries(std::string_view key, std::string_view meaning) {
  return {key, meaning, &detail::type_of<std::vector<Entry>>, detail::write_entries<Entry, step, path...>};
}

/// Writes a field only if a condition holds.
template <auto step, auto... path>
constexpr Field only_if(Field field) {
  field.is_present = [](const void* structure) -> bool {
    return detail::follow<step, path...>(*static_cast<const detail::Owner<step>*>(structure),
                                         [](const auto& value) { return static_cast<bool>(value); });
  };
  return field;
}

}  // namespace plimsoll::documents
