#include "balance/database/user_data.hpp"

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::optional<double> number_member(const support::JsonView& object, std::string_view name) {
  const std::optional<support::JsonView> member = object.find(name);
  if (!member || member->is_null()) return {};
  const std::optional<double> number = member->get<double>();
  if (!number) throw support::bad_input(fmt::format("member {} is not a number", support::in_quotes(name)));
  return number;
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

support::JsonView user_data_object(support::JsonParser& parser, std::string_view text) {
  const support::JsonView object = parser.parse(text);
  if (!object.is_object()) throw support::bad_input("expected a JSON object");
  return object;
}

}  // namespace plimsoll::balance
