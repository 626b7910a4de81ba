#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/support/quoted.hpp>

#include "cli/subcommands.hpp"

namespace plimsoll::inline v0_1::cli {

namespace {

constexpr Subcommand subcommands[] = {
    {"validate", "Check LB data files against their schema, and whether they make sense", define_validate},
    {"info", "Show how evenly the work of a data set is spread, phase by phase", define_info},
    {"generate", "Make a data set of a program that does not exist", define_generate},
    {"balance", "Place the objects of a phase anew, and write the data set that results", define_balance},
    {"compare", "Show side by side what strategies make of a phase", define_compare},
    {"repair", "Keep the complete phases of files that are cut, or of programs that were killed",
     define_repair},
    {"strategies", "List the strategies and their parameters", define_strategies},
    {"models", "List the load models, which say what the next phase will take", define_models},
    {"spec", "Show which phases a specification file has a program write", define_spec},
    {"profile", "Run an MPI program and record who sends how much to whom in its collectives",
     define_profile},
    {"collectives", "Show what a profile of collectives says, and use it", define_collectives},
    {"layout", "Give the components of a coupled model the processors that serve them best", define_layout},
};

constexpr const char* examples =
    R"(  plimsoll generate --ranks 32 --objects-per-rank 64 -o data   make a data set to play with
  plimsoll validate data                                       are its files sound?
  plimsoll info data                                           how evenly is the work spread?
  plimsoll balance data --strategy GreedyLB                    what would a strategy gain?
  plimsoll balance data --strategy GreedyLB -o balanced        ... and write the result
  plimsoll compare data                                        which strategy suits it?
  plimsoll repair data                                         keep what a killed program has measured
  plimsoll info --help                                         options of a subcommand)";

// Collapses blank lines, because CLI11 prints two between groups.
std::string with_single_blank_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

// Prints examples before descriptions, because they answer most questions faster.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(28); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return "Examples:\n" + make_footer(app) + "\n" + make_description(app) +
           make_usage(app, std::move(name)) + make_positionals(app) +
           with_single_blank_lines(make_groups(app, mode)) + make_subcommands(app, mode) +
           (app->get_parent() != nullptr
                ? ""
                : "\nExit status: 0 done; 1 the input is bad; 2 wrong usage; 3 the system failed.\n");
  }

  // Shows an option once if it has spellings with underscores and with dashes.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional || option->get_lnames().empty()) return option->get_name(is_positional, !is_positional);
    std::vector<std::string> names;
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) {
      const auto dashed = [](std::string text) {
        std::ranges::replace(text, '_', '-');
        return text;
      };
      const bool is_respelled = std::ranges::any_of(option->get_lnames(), [&](const std::string& other) {
        return other != name && dashed(other) == name;
      });
      if (!is_respelled) names.push_back("--" + name);
    }
    return fmt::format("{}", fmt::join(names, ","));
  }

  // Shows only the option's own placeholder after its name.
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string& placeholder = option->get_option_text();
    return placeholder.empty() ? "" : " " + placeholder;
  }
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Returns a name such as "plimsoll collectives summary".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

Error unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({})) names.push_back(subcommand->get_name());
  return support::usage_error(
      fmt::format("{} has no subcommand {}", full_name(app), support::in_quotes(word)),
      support::did_you_mean(word, names, "it is one of " + joined(names)));
}

// Makes the error for an invalid command line. CLI11 reports missing options before unknown ones. For a
// misspelt option such as --stratgy, the unknown option is the more useful error.
Error parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands({}).empty()) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (!chosen.empty()) return parse_error(*chosen.front(), error);
    for (const std::string& word : app.remaining()) {
      if (!word.starts_with("-")) return unknown_subcommand(app, word);
      return support::usage_error(
          fmt::format("{} has no option {} before a subcommand", full_name(app), word),
          fmt::format("see {} --help", full_name(app)));
    }
    return support::usage_error("a subcommand is missing", fmt::format("see {} --help", full_name(app)));
  }
  const std::vector<std::string> rest = app.remaining();
  if (!app.get_allow_extras() && !rest.empty() && rest.front() != "--")
    return unknown_argument(app, rest.front());
  return support::usage_error(error.what(), fmt::format("see {} --help", full_name(app)));
}

}  // namespace

Error unknown_argument(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("-")) {
    return support::usage_error(fmt::format("unexpected argument {}", support::in_quotes(word)),
                                fmt::format("see {} --help", full_name(app)));
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return support::usage_error(
      fmt::format("{} has no option {}", full_name(app), word),
      support::did_you_mean(word.substr(0, word.find('=')), names,
                            fmt::format("see {} --help", full_name(app)), support::NameStyle::bare));
}

int run(int argc, const char* const* argv, Terminal& terminal) {
  CLI::App app("Shows how the work of a parallel program is loaded onto its processors, and loads it better.",
               "plimsoll");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(examples);
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("--version", "plimsoll " PLIMSOLL_VERSION, "Show the version");
  const Command command = define_subcommands(app, subcommands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    terminal.print(app.help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    terminal.print(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    throw parse_error(app, error);
  }
  return command(terminal);
}

}  // namespace plimsoll::cli
