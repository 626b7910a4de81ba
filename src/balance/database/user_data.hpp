#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

// Members of a task's `user_defined` or `attributes`. These functions throw Error (bad_input) for a value of
// another type.

/// Parses the text of `user_defined` or `attributes`. Throws Error (bad_input) unless it is a JSON object.
support::JsonView user_data_object(support::JsonParser& parser, std::string_view text);

/// Returns a size or load, >= 0; empty if the member is missing or null.
std::optional<double> size_member(const support::JsonView& object, std::string_view name);

/// Returns a size or load in a task's `user_defined` or, if that does not contain it, in its `attributes`.
std::optional<double> size_in_user_data(const lbdata::Tasks& tasks, std::uint32_t task, std::string_view name,
                                        support::JsonParser& parser);

/// Returns a block number or rank number; empty if the member is missing or null. Rejects numbers that a
/// double may not represent exactly.
std::optional<std::int64_t> number_of_member(const support::JsonView& object, std::string_view name);

/// Returns the coordinates of a position; empty if the member is missing or null.
std::vector<double> position_member(const support::JsonView& object, std::string_view name);

}  // namespace plimsoll::balance
