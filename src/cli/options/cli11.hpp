#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Name of the validator whose description lists the choices of an option, one per line.
inline constexpr const char* choices_validator = "choices";

/// Returns the spelling of a name with dashes instead of underscores.
inline std::string dashed(std::string text) {
  std::ranges::replace(text, '_', '-');
  return text;
}

/// Returns the names of a subcommand and its parents, e.g. "plimsoll collectives summary".
inline std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

}  // namespace plimsoll::cli
