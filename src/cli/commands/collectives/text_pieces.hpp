#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns part / whole, or 0 if the whole is 0.
inline double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// Returns the line that follows a truncated list.
inline std::string more(std::size_t shown, std::size_t all) {
  return all > shown ? fmt::format("... and {} more (--json lists all)\n", count(all - shown)) : "";
}

}  // namespace plimsoll::cli
