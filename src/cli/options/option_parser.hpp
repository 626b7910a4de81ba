#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "cli/options/command_description.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): name of the library
class App;
class Option;
}  // namespace CLI

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns what is wrong with the value of an option; an empty string accepts the value.
using Check = std::function<std::string(const std::string&)>;

/// Accepts names of files and directories, which must not be empty.
std::string check_name(const std::string& name);
/// Rejects 0, for counts that must be >= 1.
std::string check_at_least_one(const std::string& number);

/// Option, flag or positional argument of a command. Copies denote the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// Requires the option in every command line.
  Option required();
  /// Adds a check of each value.
  Option check(const Check& check);
  /// Accepts only these names, such as those of an enumeration (support::names_of()).
  Option one_of(const std::vector<std::string>& names);
  /// Lets shells complete values with these words. The option also accepts others.
  Option suggests(const std::vector<std::string>& words);
  /// Rejects values that are not numbers >= 0.
  Option not_negative();
  /// Requires `other` in a command line that contains this option.
  Option needs(Option other);
  /// Rejects a command line that contains both options.
  Option excludes(Option other);
  /// Sets how many words follow the option.
  Option words(int minimum, int maximum);
  /// Limits a list to one word per occurrence of the option, which may be repeated.
  Option one_word_each();
  /// Limits a list to one word per occurrence of the option, and splits that word into values.
  Option separated_by(char delimiter);

  /// Whether the command line contains the option.
  bool is_given() const;

 private:
  CLI::Option* option_;
};

/// Variable to which the value of an option is assigned.
using OptionTarget =
    std::variant<std::int32_t*, std::uint32_t*, std::int64_t*, std::uint64_t*, std::optional<std::uint32_t>*,
                 std::optional<std::int64_t>*, std::optional<std::uint64_t>*, double*, std::optional<double>*,
                 std::string*, std::optional<std::string>*, std::vector<std::string>*,
                 std::vector<std::uint64_t>*>;

/// Parser of a command or subcommand. Copies denote the same command.
///
/// It contains the part of CLI11 that our commands use. Only sources that include options/cli11.hpp know
/// CLI11, which takes several seconds to compile.
///
/// `names` are the names of an option and, after a space, the placeholder for its value in the help:
/// "-o,--output DIR". Names with underscores are also accepted with dashes, because versions of CIME's tool
/// differ. A positional argument has only one name, without dashes: "PATH".
class OptionParser {
 public:
  /// Creates the parser of a program.
  OptionParser(const std::string& name, const std::string& description);

  /// Adds a subcommand. The command line must contain one of the subcommands.
  OptionParser add_subcommand(const std::string& name, const std::string& help);
  /// Adds --version, which prints `text`, and --verbose, with which it also prints `details()`.
  void add_version(const std::string& text, const std::function<std::string()>& details);
  /// Sets the examples with which the help begins.
  void set_examples(const std::string& text);

  /// Lists the options that are added from now on below a heading of the help.
  void begin_group(const std::string& heading);
  /// Adds an option whose value is assigned to `value`.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& help) {
    return add_target(names, &value, help);
  }
  /// Adds an option whose value is passed to `use`, which may throw Error: a string, or a list of strings or
  /// of doubles.
  template <class Value>
  Option add_option_function(const std::string& names, std::function<void(const Value&)> use,
                             const std::string& help);
  /// Adds an option whose value is a number of bytes, such as 512MiB.
  Option add_size_function(const std::string& names, const std::function<void(std::uint64_t)>& use,
                           const std::string& help);
  /// Adds an option whose words are passed to `use`.
  Option add_words_function(const std::string& names,
                            std::function<void(const std::vector<std::string>&)> use,
                            const std::string& help);
  /// Adds an option without a value, which sets `value`.
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// Adds an option without a value, which calls `use`.
  Option add_flag_function(const std::string& names, std::function<void()> use, const std::string& help);

  /// Accepts unknown words; see remaining().
  void allow_unknown_words();
  /// Accepts unknown words, and stops to look for options after the first one; see remaining().
  void stop_at_unknown_word();
  /// Lets the command line end with "--" and the command of another program; see command_after_dashes().
  void take_command();
  /// Rejects a positional argument as soon as it fails its checks, so that it counts as an unknown word.
  void check_positionals_first();

  /// Parses the words of a command line. Returns the help or the version if the user requests one of them.
  /// Throws Error (usage) for invalid command lines.
  std::optional<std::string> parse(std::vector<std::string> words, std::size_t help_width = 80);
  /// Describes the program, with the subcommands that are defined so far.
  CommandDescription describe_program() const;

  /// Whether the command line contains this subcommand.
  bool is_chosen() const;
  /// Returns the unknown words of the command line.
  std::vector<std::string> remaining() const;
  /// Returns the command of another program that follows "--"; empty without one. Needs take_command().
  std::vector<std::string> command_after_dashes() const { return foreign_->words; }
  /// Returns the option with this name.
  Option option(const std::string& name) const;
  /// Returns the long names of all options, such as "--output".
  std::vector<std::string> option_names() const;
  /// Returns the error for an unknown word. Commands that accept some unknown words throw it for the others.
  Error unknown_argument(const std::string& word) const;

 private:
  /// Command of another program, and the subcommands that accept one. CLI11 cannot tell words before "--"
  /// from those after it.
  struct ForeignCommand {
    std::vector<std::string> takers;
    std::vector<std::string> words;
  };

  OptionParser(std::shared_ptr<CLI::App> app, std::shared_ptr<ForeignCommand> foreign)
      : app_(std::move(app)), foreign_(std::move(foreign)) {}
  Option add_target(const std::string& names, OptionTarget target, const std::string& help);

  std::shared_ptr<CLI::App> app_;
  std::shared_ptr<ForeignCommand> foreign_;  // shared with the subcommands
};

}  // namespace plimsoll::cli
