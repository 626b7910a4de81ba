#include "runtime/configuration/setting_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr const char* data_output = "LB Data Output";
constexpr const char* data_input = "LB Data Input";
constexpr const char* statistics = "LB Statistics";
constexpr bool shared = true;

template <typename... Alternatives>
struct Overloaded : Alternatives... {
  using Alternatives::operator()...;
};
template <typename... Alternatives>
Overloaded(Alternatives...) -> Overloaded<Alternatives...>;  // required by clang before 17

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

std::optional<std::int64_t> parse_integer(const std::string& text, std::int64_t minimum) {
  const auto number = support::parse_number<std::int64_t>(text);
  return number >= minimum ? number : std::nullopt;
}

std::optional<std::string> parse_text(const std::string& text, bool may_be_empty) {
  const bool has_nul = text.find('\0') != std::string::npos;  // would truncate a file name
  if (has_nul || (text.empty() && !may_be_empty)) return {};
  return text;
}

std::optional<OnWriteError> parse_on_write_error(const std::string& text) {
  if (text == "stop") return OnWriteError::stop;
  if (text == "go_on") return OnWriteError::go_on;
  return {};
}

std::optional<LoadTime> parse_load_time(const std::string& text) {
  if (text == "wall") return LoadTime::wall;
  if (text == "cpu") return LoadTime::cpu;
  return {};
}

template <typename Value>
bool take(Value& field, const std::optional<Value>& value) {
  if (value) field = *value;
  return value.has_value();
}

}  // namespace

const std::vector<Setting>& setting_table() {
  using S = Settings;
  static const std::vector<Setting> table = {
      {"input_config_yaml", TextField{&S::input_config_yaml, true}, {}, "YAML file with more settings"},

      {"lb_data", FlagField{&S::lb_data}, {{data_output, "Enabled"}}, "write LB data files, one per rank"},
      {"lb_data_compress",
       FlagField{&S::lb_data_compress},
       {{data_output, "Enable Compression"}, {data_input, "Enable Compression"}},
       "compress LB data files with brotli"},
      {"lb_data_dir",
       TextField{&S::lb_data_dir, true},
       {{data_output, "Directory"}},
       "directory for LB data files; the current directory if empty"},
      {"lb_data_file",
       TextField{&S::lb_data_file, false},
       {{data_output, "File"}},
       "name of LB data files; the first %p is replaced by the rank, which is appended if %p is missing"},
      {"lb_data_overwrite",
       FlagField{&S::lb_data_overwrite},
       {{data_output, "Overwrite"}},
       "overwrite existing files, including files of ranks that no longer exist"},
      {"lb_data_elide_identical",
       FlagField{&S::lb_data_elide_identical},
       {{data_output, "Elide Identical"}},
       "list phases with an unchanged placement instead of writing them"},
      {"lb_data_on_write_error",
       OnWriteErrorField{&S::lb_data_on_write_error},
       {{data_output, "On Write Error"}},
       "action if LB data cannot be written: stop (end the program) or go_on (continue without writing)"},

      {"lb_spec",
       FlagField{&S::lb_spec},
       {{"", "Enable Specification"}},
       "write only the phases selected by the specification file",
       shared},
      {"lb_spec_file",
       TextField{&S::lb_spec_file, true},
       {{"", "Specification File"}},
       "phase specification file; ignored without lb_spec",
       shared},

      {"lb_statistics",
       FlagField{&S::lb_statistics},
       {{statistics, "Enabled"}},
       "write the LBStatsfile; also enabled by another lb_statistics setting"},
      {"lb_statistics_compress",
       FlagField{&S::lb_statistics_compress},
       {{statistics, "Enable Compression"}},
       "compress the LBStatsfile with brotli"},
      {"lb_statistics_file",
       TextField{&S::lb_statistics_file, false},
       {{statistics, "File"}},
       "name of the LBStatsfile; the first %t is replaced by the local time"},
      {"lb_statistics_dir",
       TextField{&S::lb_statistics_dir, true},
       {{statistics, "Directory"}},
       "directory for the LBStatsfile; the current directory if empty"},
      {"lb_statistics_freq",
       IntegerField{&S::lb_statistics_freq, 1},
       {{statistics, "Frequency"}},
       "write statistics for phases divisible by this number"},

      {"lb_load_model",
       TextField{&S::lb_load_model, false},
       {{"", "Load Model"}},
       "load model that predicts the loads, for decisions and for the LBStatsfile",
       shared},

      {"lb", FlagField{&S::lb}, {{"", "Enabled"}}, "balance while the program runs", shared},
      {"lb_name",
       TextField{&S::lb_name, false},
       {{"", "Name"}},
       "strategy, such as RefineLB or RefineLB(tolerance=1.1), or path of a plug-in; excludes lb_file_name",
       shared},
      {"lb_args",
       TextField{&S::lb_args, true},
       {{"", "Arguments"}},
       "parameters of lb_name: key=value, separated by spaces",
       shared},
      {"lb_interval",
       IntegerField{&S::lb_interval, 1},
       {{"", "Interval"}},
       "phases from one run of lb_name to the next; with 10, phases 1, 11, 21, ...",
       shared},
      {"lb_file_name",
       TextField{&S::lb_file_name, true},
       {{"", "File"}},
       "LB configuration file with the strategy of each phase; excludes lb_name",
       shared},
      {"lb_run_lb_first_phase",
       FlagField{&S::lb_run_lb_first_phase},
       {{"", "Run First Phase"}},
       "start lb_name in phase 0: with interval 10, phases 0, 10, 20, ...",
       shared},
      {"lb_when",
       CheckedTextField{&S::lb_when, [](const std::string& text) { return parse_lb_when(text).has_value(); },
                        "pays, always, or a minimum imbalance >= 0"},
       {{"", "When"}},
       "condition for balancing: pays (the expected gain exceeds the cost), always, or a minimum imbalance "
       "(max/mean - 1)",
       shared},
      {"lb_work",
       CheckedTextField{
           &S::lb_work,
           [](const std::string& text) { return text.empty() || parse_lb_work(text).has_value(); },
           "ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]] with numbers >= 0"},
       {{"", "Work Model"}},
       "coefficients ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]] of the work model; loads only if empty",
       shared},
      {"lb_keep_last_elm",
       FlagField{&S::lb_keep_last_elm},
       {{"", "Keep Last Element"}},
       "do not migrate the last element of a collection on a rank",
       shared},
      {"lb_self_migration",
       FlagField{&S::lb_self_migration},
       {{"", "Enable Self Migration"}},
       "also migrate objects to the rank that they are on, for TestSerializationLB",
       shared},
      {"lb_data_in",
       FlagField{&S::lb_data_in},
       {{data_input, "Enabled"}},
       "read recorded placements, for OfflineLB",
       shared},
      {"lb_data_dir_in",
       TextField{&S::lb_data_dir_in, true},
       {{data_input, "Directory"}},
       "directory of the recorded placements; the current directory if empty"},
      {"lb_data_file_in",
       TextField{&S::lb_data_file_in, false},
       {{data_input, "File"}},
       "name of the files with recorded placements, with %p as in lb_data_file"},
      {"help_lb_args",
       FlagField{&S::help_lb_args},
       {},
       "print the parameters of lb_name, or of all strategies, and do not run",
       shared},

      {"lb_quiet", FlagField{&S::lb_quiet}, {{"", "Quiet"}}, "do not print a summary line per phase"},
      {"lb_show_config",
       FlagField{&S::lb_show_config},
       {{"", "Show Configuration"}},
       "print all settings and their sources at startup"},

      {"lb_measure_speed",
       FlagField{&S::lb_measure_speed},
       {{"", "Measure Speed"}},
       "measure the relative speeds of the ranks' processors at the start, in 50 ms, for balancing",
       shared},
      {"lb_auto_idle",
       FlagField{&S::lb_auto_idle},
       {{"", "Auto Idle"}},
       "count blocking MPI calls as idle time, in programs linked with plimsoll::auto_idle",
       shared},
      {"lb_loads",
       LoadTimeField{&S::lb_loads},
       {{"", "Loads"}},
       "time that counts as load: wall (wall-clock time) or cpu (CPU time of the measuring threads, at "
       "the cost of lb_cpu_time)",
       shared},
      {"lb_cpu_time",
       FlagField{&S::lb_cpu_time},
       {{"", "Measure CPU Time"}},
       "also measure CPU time, at the cost of two system calls per pair of begin and end"},
      {"lb_system_clock",
       FlagField{&S::lb_system_clock},
       {{"", "Use System Clock"}},
       "use clock_gettime instead of the time-stamp counter"},
      {"lb_history",
       IntegerField{&S::lb_history, 0},
       {{"", "History"}},
       "number of completed phases kept in memory; more if the load model needs them"},
      {"lb_check",
       FlagField{&S::lb_check},
       {{"", "Check"}},
       "check that each object is on one rank only, and that the objects in messages exist",
       shared},
      {"lb_watchdog",
       IntegerField{&S::lb_watchdog, 0},
       {{"", "Watchdog"}},
       "seconds after which a waiting rank reports the ranks that it waits for; 0 switches this off"},
  };
  return table;
}

bool Setting::assign(Settings& settings, const std::string& text) const {
  return std::visit(
      Overloaded{
          [&](FlagField flag) { return take(settings.*flag.field, parse_flag(text)); },
          [&](TextField words) { return take(settings.*words.field, parse_text(text, words.may_be_empty)); },
          [&](CheckedTextField words) {
            return words.accepts(text) && take(settings.*words.field, parse_text(text, true));
          },
          [&](IntegerField number) {
            return take(settings.*number.field, parse_integer(text, number.minimum));
          },
          [&](OnWriteErrorField choice) { return take(settings.*choice.field, parse_on_write_error(text)); },
          [&](LoadTimeField choice) { return take(settings.*choice.field, parse_load_time(text)); },
      },
      kind);
}

std::string Setting::text(const Settings& settings) const {
  return std::visit(
      Overloaded{
          [&](FlagField flag) -> std::string { return settings.*flag.field ? "true" : "false"; },
          [&](TextField words) { return settings.*words.field; },
          [&](CheckedTextField words) { return settings.*words.field; },
          [&](IntegerField number) { return std::to_string(settings.*number.field); },
          [&](OnWriteErrorField choice) -> std::string {
            return settings.*choice.field == OnWriteError::stop ? "stop" : "go_on";
          },
          [&](LoadTimeField choice) -> std::string {
            return settings.*choice.field == LoadTime::wall ? "wall" : "cpu";
          },
      },
      kind);
}

std::string Setting::expected() const {
  return std::visit(Overloaded{
                        [](FlagField) -> std::string { return "true or false"; },
                        [](TextField words) -> std::string {
                          return words.may_be_empty ? "a string without NUL"
                                                    : "a non-empty string without NUL";
                        },
                        [](CheckedTextField words) -> std::string { return words.expected; },
                        [](IntegerField number) { return fmt::format("an integer >= {}", number.minimum); },
                        [](OnWriteErrorField) -> std::string { return "stop or go_on"; },
                        [](LoadTimeField) -> std::string { return "wall or cpu"; },
                    },
                    kind);
}

std::string argument_name(std::string_view name) {
  return fmt::format("--vt_{}", name);
}

std::string variable_name(std::string_view name) {
  return fmt::format("PLIMSOLL_{}", with_case(name, std::toupper));
}

}  // namespace plimsoll::runtime
