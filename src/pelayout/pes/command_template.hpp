#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::inline v0_1::pelayout {

/// What stands for {NAME} in a template.
using TemplateValues = std::map<std::string, std::string>;

/// The words of a line: blanks part them, '...' and "..." keep blanks, \ keeps the character behind it (but
/// within '...'). Throws Error (bad_input) if a quotation does not end, or there is no word.
std::vector<std::string> split_words(std::string_view line);

/// Words with {NAME} replaced; a value never becomes several words. Throws Error (bad_input) for a name
/// without value, `owner` being who has none.
std::vector<std::string> fill_in(const std::vector<std::string>& words, const TemplateValues& values,
                                 const std::string& owner);

}  // namespace plimsoll::pelayout
