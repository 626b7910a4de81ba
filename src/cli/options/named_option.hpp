#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/internal/text.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns a check that accepts only these names, such as those of an enumeration
/// (support::names_of()).
inline Check one_of(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& word) -> std::string {
    for (const std::string& name : names)
      if (word == name) return "";
    return fmt::format(
        "invalid value {}: {}", support::in_quotes(word),
        support::did_you_mean(word, names, fmt::format("expected {}", fmt::join(names, ", "))));
  };
}

}  // namespace plimsoll::cli
