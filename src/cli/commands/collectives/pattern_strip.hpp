#pragma once

#include <cstddef>
#include <string>

#include <plimsoll/collectives/patterns.hpp>

namespace plimsoll::cli {

/// The calls of a lead from first to last in one line of at most `width` letters, each for a part of them:
/// the number of the pattern that most of these have (0-9, then a-z, + for all others).
std::string pattern_strip(const collectives::LeadPatterns& lead, std::size_t width);

}  // namespace plimsoll::cli
