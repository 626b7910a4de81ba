#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace CLI {  // NOLINT(readability-identifier-naming): name of the library
class App;
}  // namespace CLI

namespace plimsoll::PLIMSOLL_ABI::cli {

/// An option, flag or positional argument. Help, man pages and completions are written from it.
struct OptionDescription {
  std::vector<std::string> names;    ///< "-o", "--output"; empty for a positional argument
  std::string placeholder;           ///< "DIR"; empty for a flag
  std::string help;                  ///< may contain a list: lines that begin with a space
  std::string heading;               ///< heading in the help, such as "Options"
  std::vector<std::string> choices;  ///< words that complete the value; it may have others
  bool is_required = false;
  bool is_list = false;  ///< whether a positional argument accepts several words

  bool is_positional() const { return names.empty(); }
  bool is_flag() const { return placeholder.empty(); }
  /// Whether the value is a list of words, separated by commas.
  bool has_commas() const { return placeholder == "LIST"; }
  /// Whether the value names a directory, rather than any file.
  bool is_directory() const { return placeholder.starts_with("DIR"); }
};

/// A command with its options and subcommands.
struct CommandDescription {
  std::string name;       ///< with the names of its parents: "plimsoll layout solve"
  std::string help;       ///< purpose, one line
  std::string arguments;  ///< syntax after the name: "[OPTIONS] PATH..."
  /// One example per line: two spaces, a command, and after several spaces its purpose, which lines with more
  /// spaces at the front continue.
  std::string examples;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> subcommands;

  /// Returns the last word of the name.
  std::string last_name() const { return name.substr(name.rfind(' ') + 1); }
  /// Returns the subcommand with this last name; null if it does not exist.
  const CommandDescription* find(const std::string& word) const {
    const auto found = std::ranges::find(subcommands, word, &CommandDescription::last_name);
    return found == subcommands.end() ? nullptr : &*found;
  }
};

/// Describes a command and its subcommands.
CommandDescription description_of(CLI::App& app);

}  // namespace plimsoll::cli
