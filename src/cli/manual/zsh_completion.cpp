#include <fmt/format.h>

#include "cli/manual/manual.hpp"
#include "cli/terminal/text.hpp"

// Source of the syntax: "Completion functions" in zshcompsys(1), _arguments.

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

/// Escapes text within a specification in single quotes.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'')
      result += "'\\''";
    else if (std::string_view("\\[]:").find(letter) != std::string_view::npos)
      (result += '\\') += letter;
    else
      result += letter == '\n' ? ' ' : letter;
  }
  return result;
}

/// Returns the help up to its list, if any.
std::string summary_of(const OptionDescription& option) {
  return zsh_text(std::string_view(option.help).substr(0, option.help.find("\n  ")));
}

std::string function_of(const CommandDescription& command) {
  std::string name = '_' + command.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string zsh_action(const OptionDescription& option) {
  if (!option.choices.empty()) {
    const std::string words = zsh_text(joined(option.choices, " "));
    return option.has_commas() ? fmt::format("_sequence compadd - {}", words) : fmt::format("({})", words);
  }
  return option.is_directory() ? "_files -/" : "_files";
}

std::string specification_of(const OptionDescription& option) {
  const std::string value =
      option.is_flag() ? "" : fmt::format(":{}:{}", zsh_text(option.placeholder), zsh_action(option));
  if (option.is_positional()) return fmt::format("'{}{}'", option.is_list ? "*" : "", value);
  std::string lines;
  for (const std::string& name : option.names) {
    const char* const separator = option.is_flag() ? "" : name.starts_with("--") ? "=" : "+";
    lines += fmt::format("{}'*{}{}[{}]{}'", lines.empty() ? "" : " \\\n    ", name, separator,
                         summary_of(option), value);
  }
  return lines;
}

std::string specifications_of(const CommandDescription& command) {
  return joined(command.options, " \\\n    ", &specification_of);
}

std::string function_with_subcommands(const CommandDescription& command) {
  const auto described = [](const CommandDescription& subcommand) {
    return fmt::format("'{}:{}'", subcommand.last_name(), zsh_text(subcommand.help));
  };
  return fmt::format(
      "{0}() {{\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  local -a subcommands=(\n    {1}\n  )\n"
      "  _arguments -C {2} \\\n    '1: :->subcommand' '*:: :->arguments'\n"
      "  case $state in\n"
      "    subcommand) _describe subcommand subcommands ;;\n"
      "    arguments) (( $+functions[{0}_$line[1]] )) && {0}_$line[1] ;;\n"
      "  esac\n"
      "}}\n\n",
      function_of(command), joined(command.subcommands, "\n    ", described), specifications_of(command));
}

std::string function_text(const CommandDescription& command) {
  if (!command.subcommands.empty()) return function_with_subcommands(command);
  return fmt::format("{}() {{\n  _arguments {}\n}}\n\n", function_of(command), specifications_of(command));
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
  std::string text =
      "#compdef plimsoll\n"
      "# Completes the command lines of plimsoll in zsh. Written by: plimsoll completions zsh\n\n";
  for_each_command(program, [&](const CommandDescription& command) { text += function_text(command); });
  // The file is loaded as the function on the first completion, or sourced by the user.
  return text +
         "if [[ $funcstack[1] == _plimsoll ]]; then\n  _plimsoll \"$@\"\nelse\n  compdef _plimsoll plimsoll\n"
         "fi\n";
}

}  // namespace plimsoll::cli
