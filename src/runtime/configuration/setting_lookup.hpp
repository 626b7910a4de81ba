#pragma once

#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Function that converts the name of a setting, such as lb_data_dir, to the word that users write:
/// argument_name() or variable_name(). Null: users write the name itself.
using Spelling = std::string (*)(std::string_view);

/// Returns the setting for `word`, or nullptr if the word does not concern this library. Throws Error (usage)
/// for a word that looks like a setting but is unknown, because it has the prefix. This includes an argument
/// that is similar to a setting and whose prefix only has other dashes, underscores or upper case
/// (`-vt_lb_data`, `--vt-lb-data`): without the error, the program would run without the setting.
const Setting* find_setting(const std::string& word, Spelling spelled);

/// Creates the Error (usage) for a word that is not a setting. It suggests the nearest one.
Error unknown_setting(const std::string& word, Spelling spelled);

/// Throws Error (usage) unless the setting accepts `value`, which was specified at `from`.
void expect_valid(const Setting& setting, const std::string& value, const std::string& from);

}  // namespace plimsoll::runtime
