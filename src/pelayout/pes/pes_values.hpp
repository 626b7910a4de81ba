#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pelayout/pes/command_template.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Explains why CIME would interpret the value of a variable. CIME runs `$SHELL{...}` in a shell, and
/// replaces `$ENV{...}` and similar by text that is not in the file. Empty if CIME would not interpret it.
/// References to other variables of CIME, `$NAME` and `${NAME}`, are safe values.
std::string why_unsafe_for_cime(std::string_view name, std::string_view value);

/// Explains why a program could mistake a word of a command for an option that the template does not contain.
/// This happens if the word begins with a value that begins with a dash and is not a number. Empty for all
/// other words. `word` is a word of the template.
std::string why_unsafe_as_argument(const std::string& word, const TemplateValues& values);

}  // namespace plimsoll::pelayout
