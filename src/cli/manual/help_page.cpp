#include <fmt/format.h>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/manual/manual.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr std::size_t options_column = 28;
constexpr std::size_t minimum_width = 60;
constexpr std::size_t widest_example = 41;  // a longer command has its purpose on the next line

struct Example {
  std::string command;
  std::string purpose;
};

std::vector<Example> parse_examples(std::string_view text) {
  std::vector<Example> examples;
  for (const std::string_view words : support::split(text, '\n')) {
    const std::size_t begin = std::min(words.find_first_not_of(' '), words.size());
    if (begin > 2 && !examples.empty()) {  // continues the purpose
      (examples.back().purpose += examples.back().purpose.empty() ? "" : " ") += words.substr(begin);
      continue;
    }
    const std::size_t end = std::min(words.find("  ", begin), words.size());
    const std::size_t purpose = std::min(words.find_first_not_of(' ', end), words.size());
    examples.push_back({std::string(words.substr(begin, end - begin)), std::string(words.substr(purpose))});
  }
  return examples;
}

/// Breaks a long command before an option, so that a shell still reads it as one.
std::string broken_command(const std::string& command, std::size_t width) {
  constexpr std::size_t indent = 2;
  if (command.size() + indent <= width) return command;
  const std::size_t split = command.rfind(" -", width - indent - 2);
  if (split == std::string::npos || split == 0) return command;
  return command.substr(0, split) + " \\\n      " + broken_command(command.substr(split + 1), width - 4);
}

std::string name_of(const OptionDescription& option) {
  if (option.is_positional()) return option.placeholder;
  return joined(option.names, ",") + (option.is_flag() ? "" : " " + option.placeholder);
}

std::string options_text(const CommandDescription& command, std::size_t width) {
  std::vector<std::string> headings;
  for (const OptionDescription& option : command.options)
    if (std::ranges::find(headings, option.heading) == headings.end()) headings.push_back(option.heading);
  std::string lines;
  for (const std::string& heading : headings) {
    lines += '\n' + heading + ":\n";
    for (const OptionDescription& option : command.options)
      if (option.heading == heading) lines += list_entry(name_of(option), option.help, options_column, width);
  }
  return lines;
}

std::string subcommands_text(const CommandDescription& command, std::size_t width) {
  if (command.subcommands.empty()) return "";
  std::string lines = "\nSubcommands:\n";
  for (const CommandDescription& subcommand : command.subcommands)
    lines += list_entry(subcommand.last_name(), subcommand.help, options_column, width);
  return lines;
}

}  // namespace

std::string list_entry(const std::string& name, const std::string& help, std::size_t column,
                       std::size_t width) {
  std::string text = "  " + name;
  const std::size_t end = text.size() - (text.rfind('\n') + 1);
  text += end + 2 > column ? '\n' + std::string(column, ' ') : std::string(column - end, ' ');
  std::string paragraph;
  const auto add_paragraph = [&] {
    if (paragraph.empty()) return;
    const std::size_t indent = paragraph.front() == ' ' ? 2 : 0;
    if (indent > 0) text += std::string(column, ' ');
    for (const char letter : wrapped(paragraph.substr(indent), width - column, indent)) {
      text += letter;
      if (letter == '\n') text += std::string(column, ' ');
    }
    text.resize(text.size() - column);
    paragraph.clear();
  };
  for (const std::string_view words : support::split(help, '\n')) {
    if (words.starts_with("  ")) add_paragraph();
    paragraph += (paragraph.empty() ? "" : " ") + std::string(words);
  }
  add_paragraph();
  return text;
}

std::string examples_list(const std::string& text, std::size_t width) {
  const std::vector<Example> examples = parse_examples(text);
  std::size_t column = 0;
  for (const Example& example : examples)
    if (!example.purpose.empty() && example.command.size() <= widest_example)
      column = std::max(column, example.command.size() + 5);
  std::string lines;
  for (const Example& example : examples)
    lines += example.purpose.empty() ? "  " + broken_command(example.command, width) + '\n'
                                     : list_entry(broken_command(example.command, width), example.purpose,
                                                  std::max(column, options_column), width);
  return lines;
}

std::string help_page(const CommandDescription& command, std::size_t width) {
  width = std::max(width, minimum_width);
  const bool is_program = command.name == command.last_name();
  return "Examples:\n" + examples_list(command.examples, width) + '\n' + wrapped(command.help, width) +
         fmt::format("Usage: {} {}\n", command.name, command.arguments) + options_text(command, width) +
         subcommands_text(command, width) +
         (is_program ? "\nExit status: 0 success; 1 invalid input; 2 usage error; 3 system error.\n" : "");
}

std::string help_index(const CommandDescription& program, std::size_t width) {
  width = std::max(width, minimum_width);
  std::string lines = "Subcommands:\n";
  for_each_command(program, [&](const CommandDescription& command) {
    if (command.subcommands.empty())
      lines += list_entry(command.name.substr(program.name.size() + 1), command.help, options_column, width);
  });
  lines += "\nTopics:\n";
  for (const Topic& topic : topics()) lines += list_entry(topic.name, topic.summary, options_column, width);
  return lines + "\nplimsoll help NAME shows one of them.\n";
}

void for_each_command(const CommandDescription& command,
                      const std::function<void(const CommandDescription&)>& visit) {
  visit(command);
  for (const CommandDescription& subcommand : command.subcommands) for_each_command(subcommand, visit);
}

}  // namespace plimsoll::cli
