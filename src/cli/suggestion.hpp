#pragma once

#include <string>
#include <utility>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Replaces the suggestion in a library's error with a suggestion that names options of the command.
inline Error with_suggestion(const Error& error, std::string suggestion) {
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.suggestion = std::move(suggestion);
  return {error.kind(), std::move(diagnostic)};
}

}  // namespace plimsoll::cli
