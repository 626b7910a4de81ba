#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

/// Returns the first elements of a list, or all of them if their number is not limited.
template <class Element>
std::span<const Element> first(const std::vector<Element>& list, std::optional<std::size_t> limit) {
  return std::span(list).first(std::min(list.size(), limit.value_or(list.size())));
}

}  // namespace plimsoll::cli
