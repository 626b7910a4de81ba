#pragma once

#include <string>
#include <utility>

#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::cli {

/// Replaces the suggestion in an error of a library by one with the command's options.
inline Error with_suggestion(const Error& error, std::string suggestion) {
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.suggestion = std::move(suggestion);
  return {error.kind(), std::move(diagnostic)};
}

}  // namespace plimsoll::cli
