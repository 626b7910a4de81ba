#include <fmt/format.h>

#include "cli/manual/manual.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* fish_begin =
    R"(# Completes the command lines of plimsoll in fish. Written by: plimsoll completions fish

function __plimsoll_is --description 'Whether the words so far name this command'
  set -l command plimsoll
  for word in (commandline -opc)[2..-1]
    test "$word" = -- && return 1  # the command of another program
    switch "$command $word"
      case )";

constexpr const char* after_names = R"(
        set command "$command $word"
    end
  end
  test "$command" = "$argv"
end

function __plimsoll_of_list --description 'The words, each after the list with commas that the user has begun'
  set -l begun (string match --regex -- '.*,' (commandline -ct | string replace --regex -- '^--?[^=]*=' ''))
  printf '%s\n' $begun$argv
end

)";

std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter == '\n' ? ' ' : letter;
  }
  return result + '\'';
}

std::string fish_words(const OptionDescription& option) {
  const std::string words = joined(option.choices, " ");
  return option.has_commas() ? fish_quoted("(__plimsoll_of_list " + words + ")") : fish_quoted(words);
}

std::string line_of(const CommandDescription& command, const std::string& arguments,
                    std::string_view description) {
  return fmt::format("complete -c plimsoll -n {}{} -d {}\n", fish_quoted("__plimsoll_is " + command.name),
                     arguments, fish_quoted(description.substr(0, description.find("\n  "))));
}

std::string arguments_of(const OptionDescription& option) {
  std::string arguments;
  for (const std::string& name : option.names)
    arguments += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.is_flag()) return arguments;
  if (!option.choices.empty())
    return arguments + (option.is_positional() ? " -a " : " -x -a ") + fish_words(option);
  if (option.is_directory()) return arguments + " -x -a '(__fish_complete_directories)'";
  return arguments + (option.is_positional() ? " -F" : " -r -F");
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  std::vector<std::string> names;
  std::string lines;
  for_each_command(program, [&](const CommandDescription& command) {
    if (&command != &program) names.push_back(fish_quoted(command.name));
    for (const CommandDescription& subcommand : command.subcommands)
      lines += line_of(command, " -f -a " + subcommand.last_name(), subcommand.help);
    for (const OptionDescription& option : command.options)
      lines += line_of(command, arguments_of(option), option.help);
  });
  return fish_begin + joined(names, " \\\n        ") + after_names + lines;
}

}  // namespace plimsoll::cli
