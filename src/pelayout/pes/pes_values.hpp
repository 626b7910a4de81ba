#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pelayout/pes/command_template.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// Why CIME would take the value of a variable for more than a value: `$SHELL{...}` it runs in a shell,
/// `$ENV{...}` and the like it replaces by what its file does not contain. Empty if it would not. References
/// to other variables of CIME, `$NAME` and `${NAME}`, are values.
std::string why_unsafe_for_cime(std::string_view name, std::string_view value);

/// Why a program could take a word of a command for an option that the template does not have: it begins with
/// a value that begins with a dash and is no number. Empty if it could not. `word` is the template's.
std::string why_unsafe_as_argument(const std::string& word, const TemplateValues& values);

}  // namespace plimsoll::pelayout
