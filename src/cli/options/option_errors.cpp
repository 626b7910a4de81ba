#include "cli/options/option_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include <plimsoll/support/internal/text.hpp>

#include "cli/options/cli11.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

// Commands of other tools, and what to use instead. Source: docs/how-to/coming-from-*.md.
constexpr std::pair<std::string_view, const char*> foreign_commands[] = {
    {"JSON_data_files_validator.py", "use plimsoll validate, or plimsoll-validator with its options"},
    {"lbaf", "use plimsoll balance for one strategy, or plimsoll compare for several"},
    {"lbaf-vt-data-extractor", "use plimsoll convert --phases"},
    {"lbaf-vt-data-files-maker", "use plimsoll generate --spec"},
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
          : support::did_you_mean(word, names, "available: " + joined(names, ", ")));
}

// Returns the options that `matches` accepts in a command line.
template <class Matches>
const CLI::Option* first_option(const CLI::App& app, const Matches& matches) {
  const std::vector<const CLI::Option*> options = app.get_options();
  const auto found =
      std::ranges::find_if(options, [&](const CLI::Option* option) { return matches(*option); });
  return found == options.end() ? nullptr : *found;
}

// Returns the option of an error. CLI11 puts its name first, for some errors without dashes, or last but one.
const CLI::Option* option_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::string_view text = error.what();
  return first_option(app, [&](const CLI::Option& option) {
    const std::string name = option.get_name();
    return text.starts_with(name + ":") || text.find(": " + name + " = ") != std::string_view::npos ||
           "--" + std::string(text.substr(0, text.find(' '))) == name;
  });
}

std::string name_with_value(const CLI::Option& option) {
  const std::string& placeholder = option.get_option_text();
  return option.get_name() + (placeholder.empty() ? "" : " " + placeholder);
}

// Returns what an option expects, from its help.
std::string expectation_of(const CLI::Option& option) {
  std::string help = option.get_description();
  help.resize(std::min({help.size(), help.find("[default"), help.find("\n  ")}));
  std::ranges::replace(help, '\n', ' ');
  while (help.ends_with(' ')) help.pop_back();
  const bool is_word = help.size() > 1 && help[1] >= 'a' && help[1] <= 'z';
  if (is_word && help[0] >= 'A' && help[0] <= 'Z') help[0] = static_cast<char>(help[0] - 'A' + 'a');
  return help;
}

Error missing_option(const CLI::Option& option, const std::string& hint) {
  return support::usage_error(
      fmt::format("missing {}: expected {}", name_with_value(option), expectation_of(option)), hint);
}

// Returns the error for an option that the command line contains, but not the one that it needs, or also the
// one that it excludes.
Error contradiction(const CLI::App& app, const CLI::ParseError& error, const std::string& hint) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    for (const CLI::Option* other : option->get_needs())
      if (other->count() == 0)
        return support::usage_error(
            fmt::format("{} requires {}", option->get_name(), other->get_name()),
            fmt::format("specify {}, or remove {}", name_with_value(*other), option->get_name()));
    for (const CLI::Option* other : option->get_excludes())
      if (other->count() > 0)
        return support::usage_error(fmt::format("{} and {} cannot be combined: expected one of them",
                                                other->get_name(), option->get_name()),
                                    fmt::format("remove {} or {}", other->get_name(), option->get_name()));
  }
  return support::usage_error(error.what(), hint);
}

Error wrong_number_of_values(const CLI::Option& option, const std::string& hint) {
  const std::string& name = option.get_name();
  const auto given = static_cast<int>(option.count());
  if (option.get_expected_max() == 0)
    return support::usage_error(fmt::format("unexpected value of {}: expected none", name),
                                fmt::format("use {} without a value", name));
  if (given > option.get_expected_max())
    return support::usage_error(fmt::format("{} is specified {} times: expected once", name, given),
                                "remove all but one");
  if (given == 0)
    return support::usage_error(
        fmt::format("missing value of {}: expected {}", name, option.get_option_text()), hint);
  return support::usage_error(
      fmt::format("too few values of {}: expected {}, got {}", name, option.get_expected_min(), given), hint);
}

Error wrong_value(const CLI::Option& option, const std::string& hint) {
  const std::string type = option.get_type_name();
  return support::usage_error(
      fmt::format("{}: invalid value {}: expected {}", option.get_name(),
                  support::in_quotes(fmt::format("{}", fmt::join(option.results(), " "))),
                  type == "FLOAT"  ? "a number"
                  : type == "UINT" ? "integers >= 0"
                                   : option.get_option_text()),
      hint);
}

// Returns the error of known options, in the words of our messages.
Error error_of_options(const CLI::App& app, const CLI::ParseError& error) {
  const std::string hint = fmt::format("see {} --help", full_name(app));
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (const CLI::Option* option = first_option(
            app, [](const CLI::Option& each) { return each.get_required() && each.count() == 0; }))
      return missing_option(*option, hint);
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr ||
      dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
    return contradiction(app, error, hint);
  if (const CLI::Option* option = option_of(app, error)) {
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
      return wrong_number_of_values(*option, hint);
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return wrong_value(*option, hint);
  }
  return support::usage_error(error.what(), hint);  // the text of a Check
}

}  // namespace

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Error unknown_argument_of(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("-")) {
    return support::usage_error(fmt::format("unexpected argument {}", support::in_quotes(word)),
                                fmt::format("see {} --help", full_name(app)));
  }
  return support::usage_error(
      fmt::format("unknown option {} of {}", word, full_name(app)),
      support::did_you_mean(word.substr(0, word.find('=')), long_names(app),
                            fmt::format("see {} --help", full_name(app)), support::NameStyle::bare));
}

// CLI11 reports missing options before unknown ones. For a misspelt option such as --stratgy, the unknown
// option is the more useful error.
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
    return unknown_argument_of(app, rest.front());
  return error_of_options(app, error);
}

}  // namespace plimsoll::cli
