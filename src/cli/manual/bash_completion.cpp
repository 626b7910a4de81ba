#include <fmt/format.h>

#include <plimsoll/support/internal/text.hpp>

#include "cli/manual/manual.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* bash_begin =
    R"(# Completes the command lines of plimsoll in bash. Written by: plimsoll completions bash

_plimsoll_of_list() {  # completes the last word of a list with commas
  local before=
  [[ $word == *,* ]] && before=${word%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${word##*,}")
}

_plimsoll() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=plimsoll position
  COMPREPLY=()
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((position = 1; position < COMP_CWORD; ++position)); do
    [[ ${COMP_WORDS[position]} == -- ]] && return  # the command of another program
    case "$command ${COMP_WORDS[position]}" in
)";

constexpr const char* bash_end = R"(  esac
}

complete -o bashdefault -o default -F _plimsoll plimsoll
)";

constexpr const char* options_begin = R"(    esac
  done
  case "$command $before" in
)";

constexpr const char* words_begin = R"(  esac
  case $command in
)";

std::string quoted_words(const std::vector<std::string>& words) {
  return support::shell_quoted(joined(words, " "));
}

std::string bash_action(const OptionDescription& option) {
  if (!option.choices.empty()) return fmt::format("_plimsoll_of_list {}", quoted_words(option.choices));
  if (option.is_directory())
    return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$word\")";
  return ":";
}

std::string bash_values(const CommandDescription& command) {
  std::string lines;
  for (const OptionDescription& option : command.options) {
    if (option.is_positional() || option.is_flag()) continue;
    const auto pattern = [&](const std::string& name) {
      return fmt::format("\"{} {}\"", command.name, name);
    };
    lines +=
        fmt::format("    {}) {}; return ;;\n", joined(option.names, " | ", pattern), bash_action(option));
  }
  return lines;
}

/// Returns the words that may begin an argument: subcommands, and options if the user begins one.
std::string bash_words(const CommandDescription& command) {
  std::vector<std::string> options;
  std::vector<std::string> words;
  for (const CommandDescription& subcommand : command.subcommands) words.push_back(subcommand.last_name());
  for (const OptionDescription& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (option.is_positional()) words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  return fmt::format(
      "    \"{}\")\n"
      "      if [[ $word == -* ]]; then\n"
      "        mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\")\n"
      "      else\n"
      "        mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\")\n"
      "      fi\n"
      "      ;;\n",
      command.name, quoted_words(options), quoted_words(words));
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  std::vector<std::string> names;
  std::string values;
  std::string words;
  for_each_command(program, [&](const CommandDescription& command) {
    if (&command != &program) names.push_back('"' + command.name + '"');
    values += bash_values(command);
    words += bash_words(command);
  });
  return fmt::format("{}      {}) command+=\" ${{COMP_WORDS[position]}}\" ;;\n", bash_begin,
                     joined(names, " | \\\n        ")) +
         options_begin + values + words_begin + words + bash_end;
}

}  // namespace plimsoll::cli
