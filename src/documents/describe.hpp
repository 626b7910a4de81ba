#pragma once

#include <algorithm>
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
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

// A structure is described by a specialisation, in the order of its keys:
//
//     template <>
//     inline constexpr std::array fields<Run> = {
//         members<&Run::job, &Run::ranks>(),
//         member<&Run::time, &Time::mean_s>("mean time"),
//         field<&Run::path>("file", "path of the file"),
//         field<[](const Run& run) { return run.path.empty(); }>("unnamed"),
//     };
//
// The key of a member is its name: if a member is renamed, describe it with field().
//
// A path leads from the structure to the value: pointers to members, to member functions and to functions,
// and lambdas. Functions may take a structure that contains the value as their second argument. The value is
// empty if a pointer or an optional on the path is.

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

template <class Document>
const Structure& structure() {
  return structure_of<Document>;
}

/// A value that is JSON already.
struct RawJson {
  std::string text;
};

/// Named values in an order of their own, which documents contain as an object.
template <class Value>
struct NamedValues : std::vector<std::pair<std::string_view, Value>> {
  using key_type = std::string_view;  // NOLINT(readability-identifier-naming): as in the standard library
  using mapped_type = Value;          // NOLINT(readability-identifier-naming)
};

namespace detail {

template <class Value>
concept Text = std::convertible_to<Value, std::string_view>;
template <class Value>
concept Formatted = std::is_enum_v<Value> || requires(const Value& value) {
  value.to_string();
};
template <class Value>
concept Map = requires {
  typename Value::key_type;
  typename Value::mapped_type;
};
template <class Value>
concept Tuple = requires {
  std::tuple_size<Value>::value;
};
template <class Value>
concept Variant = requires {
  std::variant_size<Value>::value;
};
template <class Value>
concept StdOptional = requires {
  typename Value::value_type;
  requires std::same_as<Value, std::optional<typename Value::value_type>>;
};
template <class Value>
concept Optional = std::is_pointer_v<Value> || StdOptional<Value>;

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
  if constexpr (std::same_as<Value, bool>)
    return {.kind = Kind::boolean};
  else if constexpr (std::integral<Value>)
    return {.kind = Kind::integer};
  else if constexpr (std::floating_point<Value>)
    return {.kind = Kind::number};
  else if constexpr (Described<Value>)
    return {.kind = Kind::structure, .structure = &structure_of<Value>};
  else if constexpr (Text<Value> || Formatted<Value>)
    return {.kind = Kind::text};
  else if constexpr (Optional<Value>) {
    Type type = type_of<std::remove_cvref_t<decltype(*std::declval<Value>())>>;
    type.is_nullable = StdOptional<Value>;  // fields state which pointers may be null
    return type;
  } else if constexpr (Map<Value>)
    return {.kind = Kind::map, .element = &type_of<typename Value::mapped_type>};
  else if constexpr (Tuple<Value>)
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
void write_value(support::JsonWriter& json, const Value& value, const Scope& scope) {
  const auto write = [&](const auto& each) { write_value(json, each, scope); };
  if constexpr (Described<Value>) {
    json.begin_object();
    write_members(json, {structure_of<Value>, &value, &scope});
    json.end_object();
  } else if constexpr (std::same_as<Value, RawJson>) {
    json.raw(value.text);
  } else if constexpr (Text<Value>) {
    json.value(std::string_view(value));
  } else if constexpr (Optional<Value>) {
    if (value)
      write(*value);
    else
      json.null();
  } else if constexpr (std::is_enum_v<Value>) {
    json.value(to_string(value));
  } else if constexpr (Formatted<Value>) {
    json.value(value.to_string());
  } else if constexpr (Map<Value>) {
    json.begin_object();
    for (const auto& [name, each] : value) write_value(json.key(name), each, scope);
    json.end_object();
  } else if constexpr (std::ranges::input_range<Value>) {
    json.begin_array();
    std::ranges::for_each(value, write);
    json.end_array();
  } else if constexpr (Tuple<Value>) {
    json.begin_array();
    std::apply([&](const auto&... each) { (write(each), ...); }, value);
    json.end_array();
  } else if constexpr (Variant<Value>) {
    std::visit(write, value);
  } else {
    json.value(value);
  }
}

template <class Structure, class Value>
Structure owner_of(Value Structure::*);
template <class Structure, class... Outer, class Value>
Structure owner_of(Value (*)(const Structure&, Outer...));
template <class Function>
auto owner_of(Function function) -> decltype(owner_of(+function));

template <class First, class Outer, class Value>
Outer outer_of(Value (*)(First, const Outer&));
template <class Function>
auto outer_of(Function function) -> decltype(outer_of(+function));

/// The structure at which a path begins.
template <auto step>
using Owner = decltype(owner_of(step));

/// Returns the nearest structure of a type that contains the value.
template <class Value>
const Value& enclosing(const Scope* scope) {
  while (scope->structure.name != structure_of<Value>.name) {
    scope = scope->outer;
    PLIMSOLL_EXPECT(scope != nullptr);
  }
  return *static_cast<const Value*>(scope->value);
}

template <auto step, class From>
constexpr decltype(auto) take(const From& from, const Scope& scope) {
  if constexpr (std::is_invocable_v<decltype(step), const From&>)
    return std::invoke(step, from);
  else
    return step(from, enclosing<decltype(outer_of(step))>(&scope));
}

/// Calls `use` with the value at the end of a path, unless a pointer or an optional on it is empty. Temporary
/// values on the path live until it returns.
template <auto step, auto... rest, class From>
void follow(const From& from, const Scope& scope, auto&& use) {
  if constexpr (Optional<From>) {
    if (from) follow<step, rest...>(*from, scope, use);
  } else if constexpr (sizeof...(rest) == 0) {
    use(take<step>(from, scope));
  } else {
    follow<rest...>(take<step>(from, scope), scope, use);
  }
}

/// Returns the type of the value at the end of a path: an optional one if the path contains optionals.
template <class From, auto step, auto... rest>
auto type_at() {
  if constexpr (StdOptional<From>) {
    using Value = typename decltype(type_at<typename From::value_type, step, rest...>())::type;
    return std::type_identity<std::conditional_t<StdOptional<Value>, Value, std::optional<Value>>>();
  } else {
    using Object = std::remove_cv_t<std::remove_pointer_t<From>>;
    using Next =
        std::remove_cvref_t<decltype(take<step>(std::declval<const Object&>(), std::declval<Scope>()))>;
    if constexpr (sizeof...(rest) == 0)
      return std::type_identity<Next>();
    else
      return type_at<Next, rest...>();
  }
}

template <auto step, auto... path>
constexpr const Type* type_at_end = &type_of<typename decltype(type_at<Owner<step>, step, path...>())::type>;

template <auto step, auto... path>
void follow_from(const Scope& scope, auto&& use) {
  follow<step, path...>(*static_cast<const Owner<step>*>(scope.value), scope, use);
}

template <auto... path>
void write_at(support::JsonWriter& json, const Field& field, const Scope& scope) {
  bool is_written = field.is_absent_if_empty;
  follow_from<path...>(scope, [&](const auto& value) {
    const bool empty = is_empty(value);
    if (empty && (field.is_absent_if_empty || field.is_null_if_empty)) return;
    write_value(json.key(field.key), value, scope);
    is_written = true;
  });
  if (!is_written) json.key(field.key).null();
}

template <auto... path>
void write_merged_at(support::JsonWriter& json, const Field&, const Scope& scope) {
  follow_from<path...>(scope, [&]<class Value>(const Value& value) {
    if constexpr (Described<Value>)
      write_members(json, {structure_of<Value>, &value, &scope});
    else if (value)
      write_members(json, {structure_of<std::remove_cvref_t<decltype(*value)>>, &*value, &scope});
  });
}

template <class Entry, auto... path>
void write_entries(support::JsonWriter& json, const Field& field, const Scope& scope) {
  json.key(field.key).begin_array();
  follow_from<path...>(scope, [&](const auto& map) {
    for (const auto& [first, second] : map) write_value(json, Entry{first, second}, scope);
  });
  json.end_array();
}

}  // namespace detail

/// Describes the value at the end of a path.
template <auto... path>
constexpr Field field(std::string_view key, std::string_view meaning = "") {
  return {key, meaning, detail::type_at_end<path...>, detail::write_at<path...>};
}

/// Describes the fields of a structure at the end of a path as fields of this structure. They are omitted if
/// it is empty.
template <auto... path>
constexpr Field merged() {
  return {"", "", detail::type_at_end<path...>, detail::write_merged_at<path...>};
}

/// Describes a map as a list of entries, which are structures of its key and its value.
template <class Entry, auto... path>
constexpr Field entries(std::string_view key, std::string_view meaning = "") {
  return {key, meaning, &detail::type_of<std::vector<Entry>>, detail::write_entries<Entry, path...>};
}

/// Writes a field only if a condition holds.
template <auto... path>
constexpr Field only_if(Field field) {
  field.is_present = [](const Scope& scope) {
    bool holds = false;
    detail::follow_from<path...>(scope, [&](const auto& value) { holds = static_cast<bool>(value); });
    return holds;
  };
  return field;
}

namespace detail {

/// Returns the name of a member of a structure.
template <auto member>
constexpr std::string_view name_of() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::string_view path = function.substr(0, function.find_first_of(";]", function.find("member = ")));
  return path.substr(path.rfind(':') + 1);
}

}  // namespace detail

/// Describes the value at the end of a path that ends at a member, whose name is the key.
template <auto... path>
constexpr Field member(std::string_view meaning = "") {
  return field<path...>((detail::name_of<path>(), ...), meaning);
}

namespace detail {

template <auto... list>
constexpr std::array named_fields = {member<list>()...};
template <auto... list>
constexpr Structure group = {"", named_fields<list...>};
template <auto... list>
constexpr Type type_of_group = {.kind = Type::Kind::structure, .structure = &group<list...>};

}  // namespace detail

/// Describes members of the structure under their own names, which say it all.
template <auto... list>
constexpr Field members() {
  const auto write = [](support::JsonWriter& json, const Field&, const Scope& scope) {
    for (const Field& field : detail::named_fields<list...>) field.write(json, field, scope);
  };
  return {"", "", &detail::type_of_group<list...>, write};
}

}  // namespace plimsoll::documents
