#pragma once

#include <string>

namespace plimsoll::pelayout {

/// Whether a regular expression of a PE file is found in the long name of a grid, machine or compset. Takes
/// time in proportion to the product of their lengths, whatever the expression.
/// Throws Error (bad_input), without a file, for an expression that is none, that is longer than 500
/// characters, or that uses what would take longer: repetition counts, looking ahead, back references.
bool is_found(const std::string& pattern, const std::string& name);

}  // namespace plimsoll::pelayout
