#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// Returns the parts of the ID of a collection element; nothing for another ID.
std::optional<lbdata::Identifier> element_identifier(ObjectId id) {
  const auto parts = lbdata::decode_identifier(static_cast<std::uint64_t>(id));
  const bool is_element = parts && (parts->kind == lbdata::IdentifierKind::migratable_element ||
                                    parts->kind == lbdata::IdentifierKind::fixed_element);
  return is_element ? parts : std::nullopt;
}

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

ObjectId object_id(int home, std::uint64_t number, bool migratable) {
  if (home < 0)
    throw support::usage_error("invalid home rank: must be >= 0", "specify the number of the home rank");
  if (number >= std::uint64_t{1} << 46)
    throw support::usage_error("invalid object number: must be below 2^46");
  const auto kind =
      migratable ? lbdata::IdentifierKind::migratable_element : lbdata::IdentifierKind::fixed_element;
  return ObjectId{
      lbdata::encode({.kind = kind, .home = static_cast<std::uint32_t>(home), .sequence = number + 1})};
}

std::optional<std::uint64_t> object_number(ObjectId id) {
  const auto parts = element_identifier(id);
  if (!parts || parts->sequence == 0) return {};
  return parts->sequence - 1;
}

ObjectId rank_object_id(int rank) {
  if (rank < 0) throw support::usage_error(fmt::format("invalid rank {}: must be >= 0", rank));
  return ObjectId{lbdata::encode(
      {.kind = lbdata::IdentifierKind::bare_handler, .home = static_cast<std::uint32_t>(rank)})};
}

std::string name_of(ObjectId id) {
  const auto bits = static_cast<std::uint64_t>(id);
  const auto number = object_number(id);
  if (!number) return fmt::format("object {}", bits);
  return fmt::format("object {} of home rank {} (ID {})", *number, lbdata::decode_identifier(bits)->home,
                     bits);
}

using support::usage_error;

lbdata::Entity element_entity(ObjectId id, const ObjectSpec& spec, int rank_count) {
  const auto number = static_cast<std::uint64_t>(id);
  const auto parts = element_identifier(id);
  if (!parts) {
    throw usage_error(fmt::format("invalid object ID {}: expected the ID of a collection element", number),
                      "call id() on the rank that registered the object, or object_id()");
  }
  if (parts->home >= static_cast<std::uint32_t>(rank_count)) {
    throw usage_error(
        fmt::format("invalid home rank {}: must be below the number of ranks, {}", parts->home, rank_count));
  }
  lbdata::Entity entity{.id = lbdata::WideInteger{number},
                        .collection_id = lbdata::WideInteger{spec.collection},
                        .home = static_cast<std::int32_t>(parts->home),
                        .migratable = parts->kind == lbdata::IdentifierKind::migratable_element};
  if (!spec.index.empty()) entity.index = spec.index;
  return entity;
}

lbdata::Entity group_entity(int rank, std::uint32_t group) {
  const lbdata::Identifier identifier{.kind = lbdata::IdentifierKind::object_group,
                                      .home = static_cast<std::uint32_t>(rank),
                                      .sequence = group,
                                      .collective = true};
  return {.id = lbdata::WideInteger{lbdata::encode(identifier)},
          .objgroup_id = lbdata::WideInteger{lbdata::object_group_proxy(identifier)},
          .home = rank,
          .migratable = false};
}

lbdata::Entity rank_entity(int rank) {
  const auto id = static_cast<std::uint64_t>(rank_object_id(rank));
  return {.id = lbdata::WideInteger{id}, .home = rank, .migratable = false};
}

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
