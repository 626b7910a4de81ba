#pragma once

#include <string_view>

namespace plimsoll::lbdata {

/// What to do about a file that is cut or damaged, for the end of a suggestion.
inline constexpr std::string_view rescue_advice = "keep its complete phases by 'plimsoll repair'";

}  // namespace plimsoll::lbdata
