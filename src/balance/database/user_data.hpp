#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a numeric member of a task's user data, such as 3 or 3.0; empty if the member does not exist.
/// Throws Error (bad_input) if it is not a number.
std::optional<double> number_member(const support::JsonView& object, std::string_view name);

/// Returns a size or load. Throws Error (bad_input) if it is not a finite number >= 0.
std::optional<double> size_member(const support::JsonView& object, std::string_view name);

/// Returns a size or load in a task's `user_defined` or, if that does not contain it, in its `attributes`.
/// Throws Error (bad_input) as the other functions do.
std::optional<double> size_in_user_data(const lbdata::Tasks& tasks, std::uint32_t task, std::string_view name,
                                        support::JsonParser& parser);

/// Parses the user data of a task. Throws Error (bad_input) unless they are a JSON object.
support::JsonView user_data_object(support::JsonParser& parser, std::string_view text);

}  // namespace plimsoll::balance
