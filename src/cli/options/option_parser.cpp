#include "cli/options/option_parser.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>

#include <plimsoll/support/internal/text.hpp>

#include "cli/manual/manual.hpp"

// This file is longer than 500 lines, because it is the only one that includes CLI11.

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

std::string dashed(std::string text) {
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Returns the names of a subcommand and its parents, e.g. "plimsoll collectives summary".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

// Names under which the choices of an option are kept with it.
constexpr const char* choices_validator = "choices";

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

// Returns the subcommand that the command line contains.
CLI::App& chosen_app(CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_app(*chosen.back());
}

// Commands of other tools, and what to use instead. Source: docs/how-to/coming-from-*.md.
constexpr std::pair<std::string_view, const char*> foreign_commands[] = {
    {"JSON_data_files_validator.py", "use plimsoll validate, or plimsoll-validator with its options"},
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

// Returns the long names of all options, such as "--output".
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
    return unknown_argument_of(app, rest.front());
  return error_of_options(app, error);
}

// Returns the names of an option without the placeholder, in both spellings: "--test_root DIR" becomes
// "--test_root,--test-root".
std::string all_names(const std::string& declaration) {
  std::string_view names = std::string_view(declaration).substr(0, declaration.find(' '));
  std::string all;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    all += (all.empty() ? "" : ",") + std::string(name);
    if (name.find('_') != std::string_view::npos) all += "," + dashed(std::string(name));
  }
  return all;
}

// Sets the placeholder that the declaration of an option contains.
Option declared(CLI::Option* option, const std::string& declaration) {
  const std::size_t space = declaration.find(' ');
  if (space != std::string::npos) option->option_text(declaration.substr(space + 1));
  return Option(option);
}

template <std::integral Integer>
Integer integer_of(const Integer&);
template <std::integral Integer>
Integer integer_of(const std::optional<Integer>&);

// Adds an option that rejects words that are not integers. CLI11 would also convert -1 and numbers that are
// too large to unsigned integers.
template <class Value>
CLI::Option* add_integer(CLI::App& app, const std::string& declaration, Value& value,
                         const std::string& help) {
  using Integer = decltype(integer_of(value));
  const auto read = [](const std::string& word, Integer& number) -> std::string {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc() && stop == end) return "";
    using Limits = std::numeric_limits<Integer>;
    return fmt::format("invalid value {}: expected an integer from {} to {}", support::in_quotes(word),
                       Limits::min(), Limits::max());
  };
  const auto check = [read](const std::string& word) {
    Integer number{};
    return read(word, number);
  };
  const auto assign = [read, &value](const std::vector<std::string>& words) {
    Integer number{};
    const bool good = read(words.front(), number).empty();
    value = number;
    return good;
  };
  return app.add_option(all_names(declaration), assign, help)->check(check);
}

}  // namespace

std::string check_name(const std::string& name) {
  return name.empty() ? "the name must not be empty" : "";
}

std::string check_at_least_one(const std::string& number) {
  return number.find_first_not_of('0') == std::string::npos ? "the number must be >= 1" : "";
}

Option Option::required() {
  return Option(option_->required());
}

Option Option::check(const Check& check) {
  return Option(option_->check(check));
}

Option Option::one_of(const std::vector<std::string>& names) {
  return suggests(names).check([names](const std::string& word) -> std::string {
    if (std::ranges::find(names, word) != names.end()) return "";
    return fmt::format(
        "invalid value {}: {}", support::in_quotes(word),
        support::did_you_mean(word, names, fmt::format("expected {}", fmt::join(names, ", "))));
  });
}

Option Option::suggests(const std::vector<std::string>& words) {
  const auto accept = [](std::string&) { return std::string(); };
  return Option(
      option_->check(CLI::Validator(accept, fmt::format("{}", fmt::join(words, "\n")), choices_validator)));
}

Option Option::not_negative() {
  return check([](const std::string& word) {
    return word.starts_with("-")
               ? fmt::format("invalid value {}: expected a number >= 0", support::in_quotes(word))
               : "";
  });
}

Option Option::needs(Option other) {
  return Option(option_->needs(other.option_));
}

Option Option::excludes(Option other) {
  return Option(option_->excludes(other.option_));
}

Option Option::words(int minimum, int maximum) {
  return Option(option_->expected(minimum, maximum));
}

Option Option::one_word_each() {
  return Option(option_->allow_extra_args(false));
}

Option Option::separated_by(char delimiter) {
  return Option(option_->delimiter(delimiter)->allow_extra_args(false));
}

bool Option::is_given() const {
  return option_->count() > 0;
}

OptionParser::OptionParser(const std::string& name, const std::string& description)
    : app_(std::make_shared<CLI::App>(description, name)), foreign_(std::make_shared<ForeignCommand>()) {
  app_->set_help_flag("-h,--help", "Show this help");
}

OptionParser OptionParser::add_subcommand(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);
  return {app_->get_subcommand_ptr(app_->add_subcommand(name, help)), foreign_};
}

void OptionParser::add_version(const std::string& text, const std::function<std::string()>& details) {
  CLI::Option* const verbose =
      app_->add_flag("--verbose")->description("With --version: show also the compiler and the libraries");
  CLI::Option* const version = app_->set_version_flag(
      "--version", [=] { return verbose->count() > 0 ? text + "\n" + details() : text; }, "Show the version");
  verbose->needs(version);
}

void OptionParser::set_examples(const std::string& text) {
  app_->footer(text);
}

void OptionParser::begin_group(const std::string& heading) {
  app_->option_defaults()->group(heading);
}

Option OptionParser::add_target(const std::string& names, OptionTarget target, const std::string& help) {
  const auto add = [&](auto* value) {
    if constexpr (requires { integer_of(*value); })
      return add_integer(*app_, names, *value, help);
    else
      return app_->add_option(all_names(names), *value, help);
  };
  return declared(std::visit(add, target), names);
}

template <class Value>
Option OptionParser::add_option_function(const std::string& names, std::function<void(const Value&)> use,
                                         const std::string& help) {
  return declared(app_->add_option_function<Value>(all_names(names), use, help), names);
}

template Option OptionParser::add_option_function(const std::string&, std::function<void(const std::string&)>,
                                                  const std::string&);
template Option OptionParser::add_option_function(const std::string&,
                                                  std::function<void(const std::vector<std::string>&)>,
                                                  const std::string&);
template Option OptionParser::add_option_function(const std::string&,
                                                  std::function<void(const std::vector<double>&)>,
                                                  const std::string&);

Option OptionParser::add_size_function(const std::string& names,
                                       const std::function<void(std::uint64_t)>& use,
                                       const std::string& help) {
  const auto in_bytes = [](std::string& size) {
    const std::string given = size;
    try {
      if (!given.starts_with("-") && CLI::AsSizeValue(false)(size).empty()) return std::string();
    } catch (const CLI::ValidationError&) {  // too large
    }
    return fmt::format("invalid value {}: expected a size such as 512MiB", support::in_quotes(given));
  };
  CLI::Option* option = app_->add_option_function<std::uint64_t>(all_names(names), use, help);
  return declared(option->transform(CLI::Validator(in_bytes, "")), names);
}

Option OptionParser::add_words_function(const std::string& names,
                                        std::function<void(const std::vector<std::string>&)> use,
                                        const std::string& help) {
  const auto callback = [use = std::move(use)](const std::vector<std::string>& words) {
    use(words);
    return true;
  };
  return declared(app_->add_option(all_names(names), callback, help), names);
}

Option OptionParser::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(all_names(names), value, help)->disable_flag_override());
}

Option OptionParser::add_flag_function(const std::string& names, std::function<void()> use,
                                       const std::string& help) {
  return Option(app_->add_flag_callback(all_names(names), std::move(use), help)->disable_flag_override());
}

void OptionParser::allow_unknown_words() {
  app_->allow_extras();
}

void OptionParser::stop_at_unknown_word() {
  app_->prefix_command();
}

void OptionParser::take_command() {
  foreign_->takers.push_back(app_->get_name());
}

void OptionParser::check_positionals_first() {
  app_->validate_positionals();
}

std::optional<std::string> OptionParser::parse(std::vector<std::string> words, std::size_t help_width) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes != words.end() && std::ranges::find(foreign_->takers, words.front()) != foreign_->takers.end()) {
    foreign_->words.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  std::ranges::reverse(words);  // CLI11 expects reverse order
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return help_page(description_of(chosen_app(*app_)), help_width);
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    throw parse_error(*app_, error);
  }
  return std::nullopt;
}

CommandDescription OptionParser::describe_program() const {
  CLI::App* program = app_.get();
  while (program->get_parent() != nullptr) program = program->get_parent();
  return description_of(*program);
}

bool OptionParser::is_chosen() const {
  return app_->parsed();
}

std::vector<std::string> OptionParser::remaining() const {
  return app_->remaining();
}

Option OptionParser::option(const std::string& name) const {
  return Option(app_->get_option(name));
}

std::vector<std::string> OptionParser::option_names() const {
  return long_names(*app_);
}

Error OptionParser::unknown_argument(const std::string& word) const {
  return unknown_argument_of(*app_, word);
}

}  // namespace plimsoll::cli
