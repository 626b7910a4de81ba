#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/runtime/user_value.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::inline v0_1::runtime {

namespace {

std::string json_of(std::string_view name, const UserValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number != nullptr && !std::isfinite(*number)) {
    throw support::usage_error(fmt::format("invalid value \"{}\": JSON cannot represent {}", name, *number),
                               "remove it, or use a string");
  }
  std::string text;
  support::JsonWriter json(text);
  std::visit([&json](const auto& content) { json.value(content); }, value);
  return text;
}

}  // namespace

void UserValues::set(std::string_view name, const UserValue& value) {
  std::string text = json_of(name, value);
  const auto place =
      std::ranges::lower_bound(members_, name, {}, &std::pair<std::string, std::string>::first);
  if (place != members_.end() && place->first == name) {
    place->second = std::move(text);
  } else {
    members_.emplace(place, name, std::move(text));
  }
}

void UserValues::remove(std::string_view name) {
  std::erase_if(members_, [name](const auto& member) { return member.first == name; });
}

std::string UserValues::to_json() const {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object();
  for (const auto& [name, value] : members_) json.key(name).raw(value);
  json.end_object();
  return text;
}

}  // namespace plimsoll::runtime
