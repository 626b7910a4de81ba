#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Parts of the name of a file of a data set. `base` refers to the parsed text.
struct ParsedName {
  std::string_view base;
  std::int64_t rank;
};

/// Returns a name without the suffix, if it has that suffix.
std::string_view without_suffix(std::string_view name, std::string_view suffix);

/// Parses BASE.<rank>.json[.br].
std::optional<ParsedName> parse_name(std::string_view name);

/// Parses BASE.json<rank>[.br], which vt uses for a name without %p.
std::optional<ParsedName> parse_appended_name(std::string_view name);

/// Returns the rank between a prefix and a suffix.
std::optional<std::int64_t> rank_between(std::string_view name, std::string_view prefix,
                                         std::string_view suffix);

/// Returns the name of a file or a partial output file without directory, `.partial` and `.br`.
std::string plain_name(const std::string& path);

/// Returns whether a name belongs to a set, given by a name or a pattern with %p for the rank.
bool matches(std::string_view name, std::string_view set);

}  // namespace plimsoll::lbdata
