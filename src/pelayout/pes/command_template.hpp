#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Values of the names in a template, which contains them as {NAME}.
using TemplateValues = std::map<std::string, std::string>;

/// Splits `line` into words, which are separated by spaces. '...' and "..." quote spaces; \ quotes the next
/// character, except within '...'. Throws Error (usage) if a quotation is not closed or the line has no
/// words.
std::vector<std::string> split_words(std::string_view line);

/// Replaces {NAME} in words; a value never becomes several words. Throws Error (usage) for a missing }, and
/// Error (bad_input) for a name without a value; `owner` describes the source of the values.
std::vector<std::string> fill_in(const std::vector<std::string>& words, const TemplateValues& values,
                                 const std::string& owner);

}  // namespace plimsoll::pelayout
