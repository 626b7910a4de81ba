#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/version.hpp>

#include "cli/subcommands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr Subcommand subcommands[] = {
    {"validate", "Check LB data files for schema and consistency errors", define_validate},
    {"info", "Show the load balance of a data set, or an LBStatsfile", define_info},
    {"generate", "Generate a synthetic data set", define_generate},
    {"balance", "Compute a new placement for one phase and write the resulting data set", define_balance},
    {"compare", "Compare the results of several strategies for one phase", define_compare},
    {"report", "Write a page that shows measurements in any browser", define_report},
    {"serve", "Show measurements in a browser while a program writes them", define_serve},
    {"export", "Write a data set as tables, meshes or a trace for other programs", define_export},
    {"repair", "Recover the complete phases of truncated files and of killed programs", define_repair},
    {"strategies", "List the strategies and their parameters", define_strategies},
    {"models", "List the load models, which predict the loads of the next phase", define_models},
    {"spec", "Show which phases a specification file selects", define_spec},
#ifdef PLIMSOLL_WITH_COLLECTIVES
    {"profile", "Run an MPI program and record the traffic of its collectives", define_profile},
    {"collectives", "Analyse and use a profile of collectives", define_collectives},
#endif
#ifdef PLIMSOLL_WITH_PELAYOUT
    {"layout", "Find the best processor counts for the components of a coupled model", define_layout},
#endif
};

constexpr const char* examples =
    R"(  plimsoll generate --ranks 32 --objects-per-rank 64 -o data   generate a sample data set
  plimsoll validate data                                       check its files
  plimsoll info data                                           show the load balance
  plimsoll balance data --strategy GreedyLB                    evaluate a strategy
  plimsoll balance data --strategy GreedyLB -o balanced        ... and write the result
  plimsoll compare data                                        compare strategies
  plimsoll report data -o report.html                          show it in a browser
  plimsoll repair data                                         recover the data of a killed program
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
                : "\nExit status: 0 success; 1 invalid input; 2 usage error; 3 system error.\n");
  }

  // Shows an option only once if it has spellings with underscores and with dashes.
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

  // Shows only the placeholder of the option after its name.
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string& placeholder = option->get_option_text();
    return placeholder.empty() ? "" : " " + placeholder;
  }
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Returns the names of a subcommand and its parents, e.g. "plimsoll collectives summary".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

// Commands of other tools, and what to use instead. Source: docs/how-to/coming-from-*.md.
constexpr std::pair<std::string_view, const char*> foreign_commands[] = {
    {"JSON_data_files_validator.py", "use plimsoll validate"},
    {"lbaf", "use plimsoll balance for one strategy, or plimsoll compare for several"},
    {"lbaf-vt-data-extractor", "use plimsoll info --phases"},
    {"load_balancing_solve.py", "use plimsoll layout solve"},
    {"load_balancing_submit.py", "use plimsoll layout submit"},
    {"simulate_replay", "use plimsoll balance or plimsoll compare"},
};

Error unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({})) names.push_back(subcommand->get_name());
  const auto* const foreign =
      std::ranges::find(foreign_commands, word, [](const auto& row) { return row.first; });
  return support::usage_error(
      fmt::format("unknown subcommand {1} of {0}", full_name(app), support::in_quotes(word)),
      foreign != std::end(foreign_commands)
          ? foreign->second
          : support::did_you_mean(word, names, "available: " + joined(names)));
}

// Returns the error for an invalid command line. CLI11 reports missing options before unknown ones. For a
// misspelt option such as --stratgy, the unknown option is the more useful error.
Error parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands({}).empty()) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (!chosen.empty()) return parse_error(*chosen.front(), error);
    for (const std::string& word : app.remaining()) {
      if (!word.starts_with("-")) return unknown_subcommand(app, word);
      return support::usage_error(
          fmt::format("unknown option {1} of {0} before a subcommand", full_name(app), word),
          fmt::format("see {} --help", full_name(app)));
    }
    return support::usage_error("missing subcommand", fmt::format("see {} --help", full_name(app)));
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
      fmt::format("unknown option {} of {}", word, full_name(app)),
      support::did_you_mean(word.substr(0, word.find('=')), names,
                            fmt::format("see {} --help", full_name(app)), support::NameStyle::bare));
}

int run(int argc, const char* const* argv, Terminal& terminal) {
  CLI::App app(
      "Measures how evenly the work of an MPI program is spread over its ranks, and computes a better "
      "placement.",
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
