#pragma once

#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Returns JSON text in which integers beyond ±2^53, such as seeds, are strings, because JavaScript rounds
/// such numbers. `json` must be valid. Cost: O(n).
std::string with_exact_integers(std::string_view json);

}  // namespace plimsoll::report
