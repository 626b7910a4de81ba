#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "cli/options/command_description.hpp"

// Help, man pages and completions, all written from the description of the options.

namespace plimsoll::PLIMSOLL_ABI::cli {

/// A page of `plimsoll help` about a subject that several subcommands share.
struct Topic {
  std::string name;     ///< "exit-codes"
  std::string summary;  ///< contents, one line
  std::string text;     ///< lines of at most 80 columns
};

/// Returns the topics of `plimsoll help`.
std::span<const Topic> topics();

/// Returns one line of a list, or several: a name, and its help from `column` on, wrapped at `width`.
std::string list_entry(const std::string& name, const std::string& help, std::size_t column,
                       std::size_t width);
/// Returns the examples of a command, in lines of at most `width` columns.
std::string examples_list(const std::string& examples, std::size_t width);
/// Returns the help of a command, in lines of at most `width` columns.
std::string help_page(const CommandDescription& command, std::size_t width);
/// Returns the list of all subcommands and topics.
std::string help_index(const CommandDescription& program, std::size_t width);

/// Returns the man page of a command, in the language of man(7). The page of the program contains the topics.
std::string man_page(const CommandDescription& command);

/// Returns the script that completes command lines in a shell.
std::string bash_completion(const CommandDescription& program);
std::string zsh_completion(const CommandDescription& program);
std::string fish_completion(const CommandDescription& program);

/// Calls visit(command) for the command and all commands below it.
void for_each_command(const CommandDescription& command,
                      const std::function<void(const CommandDescription&)>& visit);

}  // namespace plimsoll::cli
