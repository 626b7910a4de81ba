#include "cli/options/option_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include <plimsoll/support/internal/text.hpp>

#include "cli/manual/manual.hpp"
#include "cli/options/cli11.hpp"
#include "cli/options/option_errors.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

// Returns the subcommand that the command line contains.
CLI::App& chosen_app(CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_app(*chosen.back());
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
