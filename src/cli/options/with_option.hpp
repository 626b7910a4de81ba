#pragma once

#include <string>
#include <utility>

#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::cli {

/// Calls a library with the value of an option. Libraries do not know the names of options: an Error (usage)
/// gets the option's name before its text.
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

}  // namespace plimsoll::cli
