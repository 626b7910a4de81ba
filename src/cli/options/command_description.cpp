#include "cli/options/command_description.hpp"

#include <sstream>

#include "cli/options/cli11.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

// Returns the names of an option; only one if it has spellings with underscores and with dashes.
std::vector<std::string> distinct_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) {
    const bool is_respelled = std::ranges::any_of(option.get_lnames(), [&](const std::string& other) {
      return other != name && dashed(other) == name;
    });
    if (!is_respelled) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> choices_of(CLI::Option& option) {
  try {
    std::istringstream lines(option.get_validator(choices_validator)->get_description());
    std::vector<std::string> choices;
    for (std::string line; std::getline(lines, line);) choices.push_back(line);
    return choices;
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

bool is_list(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

OptionDescription description_of(CLI::Option& option) {
  const bool is_positional = option.get_positional();
  return {.names = is_positional ? std::vector<std::string>() : distinct_names(option),
          .placeholder = is_positional ? option.get_name(true) : option.get_option_text(),
          .help = option.get_description(),
          .heading = is_positional ? "Positionals" : option.get_group(),
          .choices = choices_of(option),
          .is_required = option.get_required(),
          .is_list = is_list(option)};
}

// Returns the syntax of the arguments: "[OPTIONS] PATH...".
std::string arguments_of(const CLI::App& app) {
  std::string arguments = "[OPTIONS]";
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    std::string name = option->get_name(true);
    if (is_list(*option))
      name += "...";
    else
      for (int word = 1; word < option->get_expected_max(); ++word) name += " " + option->get_name(true);
    arguments += option->get_required() ? " " + name : " [" + name + "]";
  }
  return arguments + (app.get_subcommands({}).empty() ? "" : " SUBCOMMAND");
}

}  // namespace

CommandDescription description_of(CLI::App& app) {
  CommandDescription command = {.name = full_name(app),
                                .help = app.get_description(),
                                .arguments = arguments_of(app),
                                .examples = app.get_footer(),
                                .options = {},
                                .subcommands = {}};
  for (CLI::Option* option : app.get_options({})) command.options.push_back(description_of(*option));
  std::stable_partition(command.options.begin(), command.options.end(),
                        [](const OptionDescription& option) { return option.is_positional(); });
  for (CLI::App* subcommand : app.get_subcommands({}))
    command.subcommands.push_back(description_of(*subcommand));
  return command;
}

}  // namespace plimsoll::cli
