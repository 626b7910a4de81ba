#pragma once

#include <string>
#include <utility>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Calls a library function with the value of an option. Adds the option's name before the text of an Error
/// (usage), because errors of libraries do not contain option names.
template <class Call>
decltype(auto) with_option(const char* option, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.what.insert(0, std::string(option) + ": ");
    throw Error(error.kind(), std::move(diagnostic));
  }
}

/// Replaces the suggestion in a library's error with a suggestion that names options of the command.
inline Error with_suggestion(const Error& error, std::string suggestion) {
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.suggestion = std::move(suggestion);
  return {error.kind(), std::move(diagnostic)};
}

}  // namespace plimsoll::cli
