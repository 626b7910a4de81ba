#include "runtime/configuration/setting_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/balance/lb_condition.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr const char* data_output = "LB Data Output";
constexpr const char* data_input = "LB Data Input";
constexpr const char* statistics = "LB Statistics";
constexpr bool shared = true;

std::string with_case(std::string_view text, int (*convert)(int)) {
  std::string converted(text);
  std::ranges::transform(converted, converted.begin(),
                         [&](unsigned char letter) { return static_cast<char>(convert(letter)); });
  return converted;
}

/// Parses a flag regardless of case, because YAML has "True".
std::optional<bool> parse_flag(std::string_view text) {
  const std::string word = with_case(text, std::tolower);
  if (word == "true" || word == "1" || word == "on" || word == "yes") return true;
  if (word == "false" || word == "0" || word == "off" || word == "no") return false;
  return {};
}

using Keys = std::vector<YamlKey>;

/// Creates a setting whose values `parse(text)` accepts, and `format(value)` converts back.
template <class Value, class Parse, class Format>
Setting setting(const char* name, Value Settings::*field, std::string expected, const Parse& parse,
                const Format& format, Keys keys, const char* help, bool is_shared) {
  const auto assign = [field, parse](Settings& settings, const std::string& text) {
    const std::optional<Value> value = parse(text);
    if (value) settings.*field = *value;
    return value.has_value();
  };
  return {.name = name,
          .assign = assign,
          .text = [field, format](const Settings& settings) { return format(settings.*field); },
          .expected = std::move(expected),
          .keys = std::move(keys),
          .help = help,
          .shared = is_shared,
          .is_flag = std::is_same_v<Value, bool>,
          .is_text = std::is_same_v<Value, std::string>};
}

Setting flag(const char* name, bool Settings::*field, Keys keys, const char* help, bool is_shared = false) {
  const auto format = [](bool is_set) -> std::string { return is_set ? "true" : "false"; };
  return setting(name, field, "true or false", parse_flag, format, std::move(keys), help, is_shared);
}

Setting checked_text(const char* name, std::string Settings::*field, bool (*accepts)(const std::string& text),
                     std::string expected, Keys keys, const char* help, bool is_shared = false) {
  const auto parse = [accepts](const std::string& text) {
    const bool has_nul = text.find('\0') != std::string::npos;  // would truncate a file name
    return has_nul || !accepts(text) ? std::nullopt : std::optional(text);
  };
  return setting(name, field, std::move(expected), parse, std::identity(), std::move(keys), help, is_shared);
}

Setting text(const char* name, std::string Settings::*field, Keys keys, const char* help,
             bool is_shared = false) {
  const auto any = [](const std::string&) { return true; };
  return checked_text(name, field, any, "a string without NUL", std::move(keys), help, is_shared);
}

Setting non_empty_text(const char* name, std::string Settings::*field, Keys keys, const char* help,
                       bool is_shared = false) {
  const auto is_not_empty = [](const std::string& value) { return !value.empty(); };
  return checked_text(name, field, is_not_empty, "a non-empty string without NUL", std::move(keys), help,
                      is_shared);
}

Setting integer(const char* name, std::int64_t Settings::*field, std::int64_t minimum, Keys keys,
                const char* help, bool is_shared = false) {
  const auto parse = [minimum](const std::string& value) {
    const auto number = support::parse_number<std::int64_t>(value);
    return number >= minimum ? number : std::nullopt;
  };
  const auto format = [](std::int64_t number) { return std::to_string(number); };
  return setting(name, field, fmt::format("an integer >= {}", minimum), parse, format, std::move(keys), help,
                 is_shared);
}

/// Creates a setting with a few values, whose numbers are 0, 1, ...
template <class Choice>
Setting choice(const char* name, Choice Settings::*field, std::initializer_list<const char*> values,
               Keys keys, const char* help, bool is_shared = false) {
  const std::vector<std::string> names(values.begin(), values.end());
  const auto parse = [names](const std::string& text) {
    const auto found = std::ranges::find(names, text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Choice>(found - names.begin()));
  };
  const auto format = [names](Choice value) -> std::string { return names[static_cast<std::size_t>(value)]; };
  const auto all_but_last = std::span(names).first(names.size() - 1);
  return setting(name, field, fmt::format("{} or {}", fmt::join(all_but_last, ", "), names.back()), parse,
                 format, std::move(keys), help, is_shared);
}

constexpr std::array prefixes = {"lb", "input_config"};

std::string spell(std::string_view name, Spelling spelled) {
  return spelled == nullptr ? std::string(name) : spelled(name);
}

/// Returns the letters and digits of a word, in lower case.
std::string letters(std::string_view word) {
  std::string kept;
  for (const unsigned char letter : word)
    if (std::isalnum(letter) != 0) kept += static_cast<char>(std::tolower(letter));
  return kept;
}

/// Some text processors substitute an en dash or em dash for dashes.
bool begins_with_dash(std::string_view word) {
  constexpr std::array<std::string_view, 3> dashes = {"-", "\xE2\x80\x93", "\xE2\x80\x94"};
  return std::ranges::any_of(dashes, [&](std::string_view dash) { return word.starts_with(dash); });
}

/// Returns the argument that a word with a misspelt prefix means; empty if it means none.
std::string argument_meant_by(const std::string& word) {
  const std::string given = letters(word);
  const auto has_prefix = [&](const char* prefix) {
    return given.starts_with(letters(argument_name(prefix)));
  };
  if (!begins_with_dash(word) || std::ranges::none_of(prefixes, has_prefix)) return {};
  std::vector<std::string> names;
  for (const Setting& setting : setting_table()) names.push_back(argument_name(setting.name));
  const auto same = std::ranges::find(names, given, letters);
  return same != names.end() ? *same : support::nearest(word, names);
}

}  // namespace

const std::vector<Setting>& setting_table() {
  using S = Settings;
  static const std::vector<Setting> table = {
      text("input_config_yaml", &S::input_config_yaml, {}, "YAML file with more settings"),
      flag("lb_data", &S::lb_data, {{data_output, "Enabled"}}, "write LB data files, one per rank"),
      flag("lb_data_compress", &S::lb_data_compress,
           {{data_output, "Enable Compression"}, {data_input, "Enable Compression"}},
           "compress LB data files with brotli"),
      text("lb_data_dir", &S::lb_data_dir, {{data_output, "Directory"}},
           "directory for LB data files; the current directory if empty"),
      non_empty_text(
          "lb_data_file", &S::lb_data_file, {{data_output, "File"}},
          "name of LB data files; the first %p is replaced by the rank, which is appended if %p is missing"),
      flag("lb_data_overwrite", &S::lb_data_overwrite, {{data_output, "Overwrite"}},
           "overwrite existing files, including files of ranks that no longer exist"),
      flag("lb_data_elide_identical", &S::lb_data_elide_identical, {{data_output, "Elide Identical"}},
           "list phases with an unchanged placement instead of writing them"),
      choice(
          "lb_data_on_write_error", &S::lb_data_on_write_error, {"stop", "go_on"},
          {{data_output, "On Write Error"}},
          "action if LB data cannot be written: stop (end the program) or go_on (continue without writing)"),
      flag("lb_spec", &S::lb_spec, {{"", "Enable Specification"}},
           "write only the phases selected by the specification file", shared),
      text("lb_spec_file", &S::lb_spec_file, {{"", "Specification File"}},
           "phase specification file; ignored without lb_spec", shared),
      flag("lb_statistics", &S::lb_statistics, {{statistics, "Enabled"}},
           "write the LBStatsfile; also enabled by another lb_statistics setting"),
      flag("lb_statistics_compress", &S::lb_statistics_compress, {{statistics, "Enable Compression"}},
           "compress the LBStatsfile with brotli"),
      non_empty_text("lb_statistics_file", &S::lb_statistics_file, {{statistics, "File"}},
                     "name of the LBStatsfile; the first %t is replaced by the local time"),
      text("lb_statistics_dir", &S::lb_statistics_dir, {{statistics, "Directory"}},
           "directory for the LBStatsfile; the current directory if empty"),
      integer("lb_statistics_freq", &S::lb_statistics_freq, 1, {{statistics, "Frequency"}},
              "write statistics for phases divisible by this number"),
      non_empty_text("lb_load_model", &S::lb_load_model, {{"", "Load Model"}},
                     "load model that predicts the loads, for decisions and for the LBStatsfile", shared),
      flag("lb", &S::lb, {{"", "Enabled"}}, "balance while the program runs", shared),
      non_empty_text("lb_name", &S::lb_name, {{"", "Name"}},
                     "strategy, such as RefineLB or RefineLB(tolerance=1.1), or path of a plug-in; excludes "
                     "lb_file_name",
                     shared),
      text("lb_args", &S::lb_args, {{"", "Arguments"}},
           "parameters of lb_name: key=value, separated by spaces", shared),
      integer("lb_interval", &S::lb_interval, 1, {{"", "Interval"}},
              "phases from one run of lb_name to the next; with 10, phases 1, 11, 21, ...", shared),
      text("lb_file_name", &S::lb_file_name, {{"", "File"}},
           "LB configuration file with the strategy of each phase; excludes lb_name", shared),
      flag("lb_run_lb_first_phase", &S::lb_run_lb_first_phase, {{"", "Run First Phase"}},
           "start lb_name in phase 0: with interval 10, phases 0, 10, 20, ...", shared),
      checked_text(
          "lb_when", &S::lb_when,
          [](const std::string& text) { return balance::LbCondition::parse(text).has_value(); },
          "pays, always, or a minimum imbalance >= 0", {{"", "When"}},
          "condition for balancing: pays (the expected gain exceeds the cost), always, or a minimum "
          "imbalance (max/mean - 1)",
          shared),
      checked_text(
          "lb_work", &S::lb_work,
          [](const std::string& text) { return text.empty() || parse_lb_work(text).has_value(); },
          "ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]] with numbers >= 0", {{"", "Work Model"}},
          "coefficients ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]] of the work model; loads only if empty", shared),
      choice("lb_subphases", &S::lb_subphases, {"free", "synchronised"}, {{"", "Subphases"}},
             "what strategies assume: free (ranks do not wait between subphases) or synchronised (ranks wait "
             "for "
             "each other after each subphase)",
             shared),
      flag("lb_keep_last_elm", &S::lb_keep_last_elm, {{"", "Keep Last Element"}},
           "do not migrate the last element of a collection on a rank", shared),
      flag("lb_self_migration", &S::lb_self_migration, {{"", "Enable Self Migration"}},
           "also migrate objects to the rank that they are on, for TestSerializationLB", shared),
      flag("lb_data_in", &S::lb_data_in, {{data_input, "Enabled"}}, "read recorded placements, for OfflineLB",
           shared),
      text("lb_data_dir_in", &S::lb_data_dir_in, {{data_input, "Directory"}},
           "directory of the recorded placements; the current directory if empty"),
      non_empty_text("lb_data_file_in", &S::lb_data_file_in, {{data_input, "File"}},
                     "name of the files with recorded placements, with %p as in lb_data_file"),
      text("lb_decisions", &S::lb_decisions, {{data_output, "Decisions"}},
           "file for the decisions of strategies; none if empty", shared),
      text("lb_decisions_in", &S::lb_decisions_in, {{data_input, "Decisions"}},
           "file with the decisions of an earlier run to repeat instead of running strategies; none if empty",
           shared),
      flag("help_lb_args", &S::help_lb_args, {},
           "print the parameters of lb_name, or of all strategies, and do not run", shared),
      flag("lb_quiet", &S::lb_quiet, {{"", "Quiet"}}, "do not print a summary line per phase"),
      flag("lb_show_config", &S::lb_show_config, {{"", "Show Configuration"}},
           "print all settings and their sources at startup"),
      flag("lb_measure_speed", &S::lb_measure_speed, {{"", "Measure Speed"}},
           "measure the relative speeds of the ranks' processors at the start, in 50 ms, for balancing",
           shared),
      flag("lb_auto_idle", &S::lb_auto_idle, {{"", "Auto Idle"}},
           "count blocking MPI calls as idle time, in programs linked with plimsoll::auto_idle", shared),
      choice("lb_loads", &S::lb_loads, {"auto", "wall", "cpu", "device"}, {{"", "Loads"}},
             "time that counts as load: auto (wall-clock time; decisions do not count the time of other "
             "processes), wall (wall-clock time), cpu (CPU time of the measuring threads, at the cost of "
             "lb_cpu_time) or device (time of the rank's GPU)",
             shared),
      flag("lb_cpu_time", &S::lb_cpu_time, {{"", "Measure CPU Time"}},
           "also measure CPU time, at the cost of two system calls per pair of begin and end"),
      flag("lb_system_clock", &S::lb_system_clock, {{"", "Use System Clock"}},
           "use clock_gettime instead of the time-stamp counter"),
      integer("lb_history", &S::lb_history, 0, {{"", "History"}},
              "number of completed phases kept in memory; more if the load model needs them"),
      flag("lb_check", &S::lb_check, {{"", "Check"}},
           "check that each object is on one rank only, and that the objects in messages exist", shared),
      integer("lb_watchdog", &S::lb_watchdog, 0, {{"", "Watchdog"}},
              "seconds after which a waiting rank reports the ranks that it waits for; 0 switches this off"),
  };
  return table;
}

std::string argument_name(std::string_view name) {
  return fmt::format("--vt_{}", name);
}

std::string variable_name(std::string_view name) {
  return fmt::format("PLIMSOLL_{}", with_case(name, std::toupper));
}

const Setting* find_setting(const std::string& word, Spelling spelled) {
  for (const Setting& setting : setting_table())
    if (word == spell(setting.name, spelled)) return &setting;
  const auto has_prefix = [&](const char* prefix) { return word.starts_with(spell(prefix, spelled)); };
  if (std::ranges::any_of(prefixes, has_prefix)) throw unknown_setting(word, spelled);
  const std::string meant = spelled == argument_name ? argument_meant_by(word) : "";
  if (!meant.empty())
    throw support::usage_error(fmt::format("unknown setting {}", support::in_quotes(word)),
                               fmt::format("did you mean {}?", meant));
  return nullptr;
}

Error unknown_setting(const std::string& word, Spelling spelled) {
  std::vector<std::string> known;
  for (const Setting& setting : setting_table()) known.push_back(spell(setting.name, spelled));
  return support::usage_error(
      fmt::format("unknown setting {}", support::in_quotes(word)),
      support::did_you_mean(word, known,
                            fmt::format("use {} to list all settings", argument_name("lb_show_config")),
                            support::NameStyle::bare));
}

void expect_valid(const Setting& setting, const std::string& value, const std::string& from) {
  Settings scratch;
  if (!setting.assign(scratch, value))
    throw support::usage_error(fmt::format("invalid value {} for {}", support::in_quotes(value), from),
                               "use " + setting.expected);
}

void ProgramDefaults::set(const std::string& name, const std::string& value) {
  const Setting* setting = find_setting(name, nullptr);
  if (setting == nullptr) throw unknown_setting(name, nullptr);
  expect_valid(*setting, value, name);
  setting->assign(settings_, value);
  if (name == "lb_statistics") sets_statistics_ = true;
  if (name.starts_with("lb_statistics_") && !sets_statistics_) settings_.lb_statistics = true;
}

}  // namespace plimsoll::runtime
