#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::size_t usual_length = 200;  // of the JSON text of an object

void expect_finite(std::string_view name, double number) {
  if (std::isfinite(number)) return;
  throw support::usage_error(fmt::format("invalid value \"{}\": JSON cannot represent {}", name, number),
                             "remove it, or use a string");
}

std::string json_of(std::string_view name, const UserValue& value) {
  if (const auto* number = std::get_if<double>(&value)) expect_finite(name, *number);
  std::string text;
  support::JsonWriter json(text);
  std::visit([&json](const auto& content) { json.value(content); }, value);
  return text;
}

void write_array(support::JsonWriter& json, std::string_view name, std::span<const double> values) {
  json.begin_array();
  for (const double value : values) {
    expect_finite(name, value);
    json.value(value);
  }
  json.end_array();
}

}  // namespace

UserValue integer_value(std::string_view name, std::uint64_t integer) {
  if (integer > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    throw support::usage_error(
        fmt::format("invalid integer {} for the value \"{}\": must be <= 2^63 - 1", integer, name),
        "use a floating-point number or a string");
  return static_cast<std::int64_t>(integer);
}

void UserValues::set(std::string_view name, const UserValue& value) {
  set_json(name, json_of(name, value));
}

void UserValues::set_array(std::string_view name, std::span<const double> values) {
  std::string text;
  support::JsonWriter json(text);
  write_array(json, name, values);
  set_json(name, std::move(text));
}

void UserValues::add_missing(const UserValues& other) {
  std::vector<std::pair<std::string, std::string>> all;
  std::ranges::set_union(members_, other.members_, std::back_inserter(all), {},
                         &std::pair<std::string, std::string>::first,
                         &std::pair<std::string, std::string>::first);
  members_ = std::move(all);
}

void UserValues::set_json(std::string_view name, std::string text) {
  const auto place =
      std::ranges::lower_bound(members_, name, {}, &std::pair<std::string, std::string>::first);
  if (place != members_.end() && place->first == name) {
    place->second = std::move(text);
  } else {
    members_.emplace(place, name, std::move(text));
  }
}

std::optional<UserValue> UserValues::get(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &std::pair<std::string, std::string>::first);
  if (found == members_.end()) return {};
  support::JsonParser parser("");
  const support::JsonView json = parser.parse(found->second);
  if (const auto number = json.get<std::int64_t>()) return *number;
  if (const auto number = json.get<double>()) return *number;
  if (const auto text = json.get<std::string_view>()) return std::string(*text);
  return {};
}

void UserValues::remove(std::string_view name) {
  std::erase_if(members_, [name](const auto& member) { return member.first == name; });
}

std::string UserValues::to_json() const {
  std::string text;
  text.reserve(usual_length);
  support::JsonWriter json(text);
  json.begin_object();
  for (const auto& [name, value] : members_) json.key(name).raw(value);
  json.end_object();
  return text;
}

std::string UserValues::to_json_with(std::string_view name, std::span<const double> values) const {
  std::string text;
  text.reserve(usual_length);
  support::JsonWriter json(text);
  json.begin_object();
  auto member = members_.begin();
  for (; member != members_.end() && member->first < name; ++member)
    json.key(member->first).raw(member->second);
  write_array(json.key(name), name, values);
  if (member != members_.end() && member->first == name) ++member;
  for (; member != members_.end(); ++member) json.key(member->first).raw(member->second);
  json.end_object();
  return text;
}

}  // namespace plimsoll::runtime
