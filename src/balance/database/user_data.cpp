#include "balance/database/user_data.hpp"

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

std::optional<double> number_member(const support::JsonView& object, std::string_view name) {
  const std::optional<support::JsonView> member = object.find(name);
  if (!member || member->is_null()) return {};
  const std::optional<double> number = member->get<double>();
  if (!number) throw support::bad_input(fmt::format("member {} is not a number", support::in_quotes(name)));
  return number;
}

}  // namespace

support::JsonView user_data_object(support::JsonParser& parser, std::string_view text) {
  const support::JsonView object = parser.parse(text);
  if (!object.is_object()) throw support::bad_input("expected a JSON object");
  return object;
}

std::optional<double> size_member(const support::JsonView& object, std::string_view name) {
  const std::optional<double> number = number_member(object, name);
  if (number && !(std::isfinite(*number) && *number >= 0))
    throw support::bad_input(
        fmt::format("invalid value {} of member {}: must be >= 0", *number, support::in_quotes(name)));
  return number;
}

std::optional<double> size_in_user_data(const lbdata::Tasks& tasks, std::uint32_t task, std::string_view name,
                                        support::JsonParser& parser) {
  for (const std::string_view text : {tasks.user_defined.at(task), tasks.attributes.at(task)}) {
    if (text.empty()) continue;
    if (const auto number = size_member(user_data_object(parser, text), name)) return number;
  }
  return {};
}

std::optional<std::int64_t> number_of_member(const support::JsonView& object, std::string_view name) {
  constexpr double bound = 9007199254740992.0;  // 2^53: above it, doubles skip integers
  const std::optional<double> number = number_member(object, name);
  if (!number) return {};
  if (!(std::abs(*number) < bound) || *number != std::trunc(*number))
    throw support::bad_input(fmt::format("invalid value {} of member {}: expected an integer below 2^53",
                                         *number, support::in_quotes(name)));
  return static_cast<std::int64_t>(*number);
}

std::vector<double> position_member(const support::JsonView& object, std::string_view name) {
  std::vector<double> position;
  const std::optional<support::JsonView> member = object.find(name);
  if (!member || member->is_null()) return position;
  try {
    member->for_each_element(
        [&](const support::JsonView& coordinate) { position.push_back(coordinate.number()); });
  } catch (const Error&) {
    throw support::bad_input(fmt::format("member {} is not an array of numbers", support::in_quotes(name)));
  }
  return position;
}

}  // namespace plimsoll::balance
