#pragma once

#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the colour of a component, the same in all pictures: dark enough for lines, light enough for black
/// text. Components outside CIME may share a colour.
const char* component_colour(std::string_view component);

}  // namespace plimsoll::pelayout
