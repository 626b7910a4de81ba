#include "lbdata/comparing/json_comparison.hpp"

#include <map>
#include <vector>

#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

using support::JsonView;
using Members = std::map<std::string_view, JsonView>;

Members members_of(const JsonView& object) {
  Members members;
  object.for_each_member([&](std::string_view name, const JsonView& value) { members.emplace(name, value); });
  return members;
}

std::vector<JsonView> elements_of(const JsonView& array) {
  std::vector<JsonView> elements;
  array.for_each_element([&](const JsonView& value) { elements.push_back(value); });
  return elements;
}

std::string description(const JsonView& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (const auto text = value.get<std::string_view>()) return fmt::format("\"{}\"", *text);
  if (const auto truth = value.get<bool>()) return value_text(*truth);
  if (const auto integer = value.get<std::int64_t>()) return value_text(*integer);
  if (const auto integer = value.get<std::uint64_t>()) return value_text(*integer);
  if (const auto number = value.get<double>()) return value_text(*number);
  return "null";
}

class JsonComparison {
 public:
  explicit JsonComparison(DifferenceList& differences) : differences_(differences) {}

  void compare(const std::string& field, const JsonView& first, const JsonView& second) {
    if (first.is_object() && second.is_object()) return compare_objects(field, first, second);
    if (first.is_array() && second.is_array()) return compare_arrays(field, first, second);
    if (!are_equal(first, second)) differences_.add(field, description(first), description(second));
  }

 private:
  void compare_objects(const std::string& field, const JsonView& first, const JsonView& second) {
    const Members old_members = members_of(first);
    const Members new_members = members_of(second);
    const auto field_of = [&](std::string_view name) {
      std::string path = field;
      support::append_pointer_name(path, name);
      return path;
    };
    for (const auto& [name, value] : old_members) {
      const auto other = new_members.find(name);
      if (other == new_members.end())
        differences_.add(field_of(name), description(value), std::nullopt);
      else
        compare(field_of(name), value, other->second);
    }
    for (const auto& [name, value] : new_members)
      if (!old_members.contains(name)) differences_.add(field_of(name), std::nullopt, description(value));
  }

  void compare_arrays(const std::string& field, const JsonView& first, const JsonView& second) {
    const std::vector<JsonView> old_values = elements_of(first);
    const std::vector<JsonView> new_values = elements_of(second);
    for (std::size_t k = 0; k < std::max(old_values.size(), new_values.size()); ++k) {
      const std::string at = fmt::format("{}/{}", field, k);
      if (k >= new_values.size())
        differences_.add(at, description(old_values[k]), std::nullopt);
      else if (k >= old_values.size())
        differences_.add(at, std::nullopt, description(new_values[k]));
      else
        compare(at, old_values[k], new_values[k]);
    }
  }

  bool are_equal(const JsonView& first, const JsonView& second) const {
    if (const auto text = first.get<std::string_view>()) return second.get<std::string_view>() == text;
    if (const auto truth = first.get<bool>()) return second.get<bool>() == truth;
    if (first.is_null() || second.is_null()) return first.is_null() && second.is_null();
    if (const auto a = first.get<std::int64_t>(), b = second.get<std::int64_t>(); a && b) return a == b;
    if (const auto a = first.get<std::uint64_t>(), b = second.get<std::uint64_t>(); a && b) return a == b;
    const auto a = first.get<double>();
    const auto b = second.get<double>();
    return a && b && differences_.are_close(*a, *b);
  }

  DifferenceList& differences_;
};

}  // namespace

void compare_json(const std::string& field, std::string_view first, std::string_view second,
                  DifferenceList& differences) {
  if (first == second) return;
  const auto or_empty = [](std::string_view text) { return text.empty() ? "{}" : text; };
  support::JsonParser parsers[] = {support::JsonParser(""), support::JsonParser("")};
  std::vector<JsonView> views;
  try {
    views = {parsers[0].parse(or_empty(first)), parsers[1].parse(or_empty(second))};
  } catch (const Error&) {
    return differences.add(field, std::string(first), std::string(second));
  }
  JsonComparison(differences).compare(field, views[0], views[1]);
}

}  // namespace plimsoll::lbdata
