#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Calls `add(member, what)` for each member of a task's `user_defined` that describes memory, if commands
/// that consider memory reject its value. `user_defined` is the text of a JSON object. If simdjson rejects
/// the text, e.g. because of NaN, `member` is empty.
void check_memory_members(std::string_view user_defined, support::JsonParser& parser,
                          const std::function<void(std::string_view member, std::string what)>& add);

}  // namespace plimsoll::lbdata
