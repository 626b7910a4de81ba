#pragma once

#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace CLI {  // NOLINT(readability-identifier-naming): name of the library
class App;
class ParseError;
}  // namespace CLI

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns the long names of all options of a command, such as "--output".
std::vector<std::string> long_names(const CLI::App& app);

/// Returns the error for an unknown word of a command line.
Error unknown_argument_of(const CLI::App& app, const std::string& word);

/// Returns the error for an invalid command line, in the words of our messages.
Error parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace plimsoll::cli
