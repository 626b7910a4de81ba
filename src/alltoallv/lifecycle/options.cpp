#include "alltoallv/lifecycle/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

#include <plimsoll/support/error.hpp>

namespace plimsoll::alltoallv {

using collectives::Exchange;
using collectives::Operation;
using support::usage_error;

namespace {

constexpr const char* main_variable = "PLIMSOLL_ALLTOALLV";
constexpr const char* folder_variable = "PLIMSOLL_ALLTOALLV_FOLDER";

// Of the collective profiler, with what there is to say to those who set them.
constexpr std::pair<const char*, const char*> variables_without_effect[] = {
    {"A2A_COMMIT_PROFILER_DATA_AT", "all calls are in the logs as soon as they are made"},
    {"A2A_RELEASE_RESOURCES_AFTER_DATA_COMMIT", "memory is bounded anyway"},
    {"COLLECTIVE_PROFILER_CHECK_SEND_BUFF", "the content of buffers is not looked at"},
    {"COLLECTIVE_PROFILER_MAX_CALL_CHECK_BUFF_CONTENT", "the content of buffers is not looked at"},
    {"DUMP_CALL_DATA", "the content of buffers is not looked at"},
};

constexpr std::pair<const char*, Exchange> limit_variables[] = {
    {"A2A_LIMIT_ALLTOALLV_CALLS_ENVVAR", Exchange::alltoallv},
    {"A2A_LIMIT_ALLTOALL_CALLS_ENVVAR", Exchange::alltoall},
    {"ALLGATHERV_LIMIT_CALLS_ENVVAR", Exchange::allgatherv},
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t number_of(const std::string& name, std::string_view text, std::uint64_t least = 0) {
  const auto value = number(text);
  if (!value || *value < least)
    throw usage_error(fmt::format("{} is \"{}\"", name, text),
                      fmt::format("use a whole number from {} on", least));
  return *value;
}

/// "64MiB": binary multiples, with or without "iB" or "B".
std::uint64_t bytes_of(const std::string& name, std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto value = number(text.substr(0, digits));
  const std::string_view unit = text.substr(digits);
  for (const auto& [letter, shift] : {std::pair{"", 0}, {"K", 10}, {"M", 20}, {"G", 30}}) {
    const std::string prefix = letter;
    const bool named = unit == prefix || unit == prefix + "B" || (shift > 0 && unit == prefix + "iB");
    if (value && named && *value <= UINT64_MAX >> shift) return *value << shift;
  }
  throw usage_error(fmt::format("{} is \"{}\"", name, text), "use a size such as 64MiB");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

/// "alltoallv+ialltoallw": an exchange in all its forms, or one form of it.
std::bitset<Operation::count> operations_of(std::string_view text) {
  std::bitset<Operation::count> chosen;
  for (const std::string& name : split(text, '+')) {
    const Operation operation = collectives::operation_named(name);
    const bool all_forms = operation == Operation{operation.exchange};
    for (std::size_t k = 0; k < Operation::count; ++k)
      if (Operation::at(k) == operation || (all_forms && Operation::at(k).exchange == operation.exchange))
        chosen.set(k);
  }
  if (chosen.none()) throw usage_error("no operations are named", "use names such as alltoallv+ialltoallw");
  return chosen;
}

/// The words of PLIMSOLL_ALLTOALLV: switches, and names with values.
class Words {
 public:
  explicit Words(Options& options) : options_(options) {}

  void take(const std::string& text) {
    for (const std::string& word : split(text, ',')) take_word(word);
    if (content_named_ && !counts_named_) options_.counts = false;
  }

 private:
  void take_word(const std::string& word) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos) {
      for (const auto& [known, member] : contents())
        if (name == known) {
          *member = content_named_ = true;
          if (member == &options_.counts) counts_named_ = true;
          return;
        }
      for (const auto& [known, change] : switches())
        if (name == known) return change(options_);
    } else {
      for (const auto& [known, change] : settings())
        if (name == known) return change(options_, word.substr(equals + 1));
    }
    refuse(word, name, equals != std::string::npos);
  }

  std::vector<std::pair<std::string, bool*>> contents() {
    return {{"counts", &options_.counts},
            {"times", &options_.times},
            {"late-arrival", &options_.late_arrival},
            {"locations", &options_.locations},
            {"backtraces", &options_.backtraces},
            {"displacements", &options_.displacements}};
  }

  static std::vector<std::pair<std::string, std::function<void(Options&)>>> switches() {
    return {{"not-compact", [](Options& options) { options.write.compact = false; }},
            {"dotted-names", [](Options& options) { options.write.dotted_names = true; }},
            {"legacy-text", [](Options& options) { options.write.legacy_text = true; }},
            {"overwrite", [](Options& options) { options.write.overwrite = true; }},
            {"quiet", [](Options& options) { options.quiet = true; }}};
  }

  /// What is said here is stronger than the collective profiler's variables.
  static void drop_window(Options& options) {
    if (!options.window) return;
    options.window.reset();
    options.limits.fill(UINT64_MAX);
  }

  using Change = std::function<void(Options&, const std::string&)>;
  static std::vector<std::pair<std::string, Change>> settings() {
    return {
        {"first",
         [](Options& options, const std::string& text) {
           options.first = number_of("first", text);
           drop_window(options);
         }},
        {"limit",
         [](Options& options, const std::string& text) {
           drop_window(options);
           options.limits.fill(number_of("limit", text));
         }},
        {"sample",
         [](Options& options, const std::string& text) { options.sample = number_of("sample", text, 1); }},
        {"memory",
         [](Options& options, const std::string& text) { options.memory_bytes = bytes_of("memory", text); }},
        {"folder",
         [](Options& options, const std::string& text) {
           if (text.empty()) throw usage_error("folder= names no folder");
           options.folder = text;
         }},
        {"operations",
         [](Options& options, const std::string& text) { options.operations = operations_of(text); }},
        {"merge",
         [](Options& options, const std::string& text) {
           if (text != "now" && text != "later")
             throw usage_error(fmt::format("merge is \"{}\"", text), "use merge=now or merge=later");
           options.merge_later = text == "later";
         }},
    };
  }

  [[noreturn]] void refuse(const std::string& word, const std::string& name, bool with_value) {
    std::vector<std::string> known;
    for (const auto& [content, member] : contents()) known.push_back(content);
    for (const auto& [known_switch, change] : switches()) known.push_back(known_switch);
    for (const auto& [setting, change] : settings()) {
      if (!with_value && setting == name)
        throw usage_error(fmt::format("{} needs a value", name), fmt::format("use {}=VALUE", name));
      known.push_back(setting);
    }
    const std::string near = support::nearest(name, known);
    if (near == name)
      throw usage_error(fmt::format("{} has no value", name), fmt::format("use {} alone", name));
    throw usage_error(fmt::format("\"{}\" is not understood", word),
                      near.empty() ? fmt::format("use some of {}", fmt::join(known, ", "))
                                   : fmt::format("did you mean \"{}\"?", near));
  }

  Options& options_;
  bool content_named_ = false;
  bool counts_named_ = false;
};

/// The variables that are set.
class Lookup {
 public:
  explicit Lookup(const Variables& variables) : variables_(variables) {}
  /// Its value, or nothing if it is not set or empty.
  const std::string* operator[](const char* name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() || found->second.empty() ? nullptr : &found->second;
  }

 private:
  const Variables& variables_;
};

/// A call counts by its number on the lead, which is never smaller than that on its communicator: until the
/// window ends, all are recorded.
void take_window(const Lookup& variables, Options& options) {
  Options::Window window{.limits = options.limits};
  const auto* const first = variables["A2A_NUM_CALL_START_PROFILING"];
  if (first) window.first = number_of("A2A_NUM_CALL_START_PROFILING", *first);
  for (const auto& [name, exchange] : limit_variables)
    if (const auto* limit = variables[name]; limit && *limit != "-1")
      for (std::size_t k = 0; k < Operation::count; ++k)
        if (Operation::at(k).exchange == exchange) window.limits[k] = number_of(name, *limit);
  if (!first && window.limits == options.limits) return;
  for (std::size_t k = 0; k < Operation::count; ++k)
    if (__builtin_add_overflow(window.first, window.limits[k], &options.limits[k]))
      options.limits[k] = UINT64_MAX;
  options.window = window;
}

void take_collective_profilers_variables(const Lookup& variables, Options& options) {
  for (const char* name : {"MPI_COLLECTIVE_PROFILER_OUTPUT_DIR", "A2A_PROFILING_OUTPUT_DIR"})
    if (const auto* folder = variables[name]) options.folder = *folder;
  take_window(variables, options);
  if (const auto* delay = variables["COLLECTIVE_PROFILER_INJECT_DELAY"]) options.inject_delay = *delay == "1";
  for (const auto& [name, reason] : variables_without_effect)
    if (variables[name]) options.notes.push_back(fmt::format("{} has no effect: {}", name, reason));
}

}  // namespace

Variables known_variables() {
  std::vector<const char*> names = {main_variable,
                                    folder_variable,
                                    "MPI_COLLECTIVE_PROFILER_OUTPUT_DIR",
                                    "A2A_PROFILING_OUTPUT_DIR",
                                    "A2A_NUM_CALL_START_PROFILING",
                                    "COLLECTIVE_PROFILER_INJECT_DELAY",
                                    "SLURM_JOB_ID",
                                    "LSB_JOBID"};
  for (const auto& [name, exchange] : limit_variables) names.push_back(name);
  for (const auto& [name, reason] : variables_without_effect) names.push_back(name);
  Variables variables;
  for (const char* name : names)
    if (const char* value = std::getenv(name)) variables[name] = value;
  return variables;
}

Options parse_options(const Variables& all_variables) {
  const Lookup variables(all_variables);
  Options options;
  take_collective_profilers_variables(variables, options);
  if (const auto* words = variables[main_variable]) Words(options).take(*words);
  options.write.first_call = options.window ? options.window->first : options.first;
  if (const auto* folder = variables[folder_variable]) options.folder = *folder;
  options.inject_delay = options.inject_delay && options.late_arrival;
  // A job id that is no number is none of these batch systems'.
  for (const char* name : {"LSB_JOBID", "SLURM_JOB_ID"})
    if (const auto* job = variables[name]) options.job = number(*job).value_or(options.job);
  return options;
}

}  // namespace plimsoll::alltoallv
