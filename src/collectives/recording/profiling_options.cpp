#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

using support::in_quotes;
using support::usage_error;

namespace {

using Operations = std::bitset<Operation::count>;

std::uint64_t number_of(const std::string& name, std::string_view text, std::uint64_t minimum = 0) {
  const auto value = support::parse_number<std::uint64_t>(text);
  if (!value || *value < minimum)
    throw usage_error(fmt::format("invalid value {} for {}", in_quotes(text), name),
                      fmt::format("use an integer >= {}", minimum));
  return *value;
}

/// Parses a size such as "64MiB": binary multiples, with or without "iB" or "B".
std::uint64_t bytes_of(const std::string& name, std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto value = support::parse_number<std::uint64_t>(text.substr(0, digits));
  const std::string_view unit = text.substr(digits);
  for (const auto& [letter, shift] : {std::pair{"", 0}, {"K", 10}, {"M", 20}, {"G", 30}}) {
    const std::string prefix = letter;
    const bool named = unit == prefix || unit == prefix + "B" || (shift > 0 && unit == prefix + "iB");
    if (value && named && *value <= UINT64_MAX >> shift) return *value << shift;
  }
  throw usage_error(fmt::format("invalid value {} for {}", in_quotes(text), name),
                    "use a size such as 64MiB");
}

/// Returns the words between separators, without leading and trailing spaces.
std::vector<std::string> words_of(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (const std::string_view part : support::split(text, separator))
    if (const std::string_view word = support::trimmed(part); !word.empty()) words.emplace_back(word);
  return words;
}

/// Returns the operations that a name selects: all forms of an exchange, or one form.
Operations operations_named(Operation operation) {
  Operations named;
  const bool all_forms = operation == Operation{operation.exchange};
  for (std::size_t k = 0; k < Operation::count; ++k)
    if (Operation::at(k) == operation || (all_forms && Operation::at(k).exchange == operation.exchange))
      named.set(k);
  return named;
}

/// Parses a list such as "alltoallv+ialltoallw".
Operations operations_of(std::string_view text) {
  Operations chosen;
  for (const std::string& name : words_of(text, '+')) chosen |= operations_named(operation_named(name));
  if (chosen.none())
    throw usage_error("missing value for operations", "use names such as alltoallv+ialltoallw");
  return chosen;
}

/// Performs the inverse of operations_of(). The plain form of an exchange precedes its other forms, and the
/// name of the plain form selects all of them.
std::string names_of(const Operations& operations) {
  std::vector<std::string> names;
  Operations named;
  for (std::size_t k = 0; k < Operation::count; ++k) {
    if (!operations[k] || named[k]) continue;
    names.push_back(Operation::at(k).lower_case_name());
    named |= operations_named(Operation::at(k));
  }
  if (named != operations || named.none())
    throw usage_error("unsupported set of operations",
                      "use all forms of an exchange such as Alltoallv, or only its nonblocking, persistent "
                      "and neighbourhood forms");
  return fmt::format("{}", fmt::join(names, "+"));
}

/// Option without a value, which sets a member.
struct Flag {
  const char* name;
  bool& (*member)(ProfilingOptions&);
  bool value = true;
};

constexpr const char* no_counts = "no-counts";

constexpr Flag contents[] = {
    {"counts", [](ProfilingOptions& options) -> bool& { return options.counts; }},
    {no_counts, [](ProfilingOptions& options) -> bool& { return options.counts; }, false},
    {"times", [](ProfilingOptions& options) -> bool& { return options.times; }},
    {"late-arrival", [](ProfilingOptions& options) -> bool& { return options.late_arrival; }},
    {"locations", [](ProfilingOptions& options) -> bool& { return options.locations; }},
    {"backtraces", [](ProfilingOptions& options) -> bool& { return options.backtraces; }},
    {"displacements", [](ProfilingOptions& options) -> bool& { return options.displacements; }},
    {"content-hash", [](ProfilingOptions& options) -> bool& { return options.content_hash; }},
    {"mpi", [](ProfilingOptions& options) -> bool& { return options.mpi; }},
    {"critical-path", [](ProfilingOptions& options) -> bool& { return options.critical_path; }},
};

constexpr Flag switches[] = {
    {"no-text", [](ProfilingOptions& options) -> bool& { return options.write.text; }, false},
    {"not-compact", [](ProfilingOptions& options) -> bool& { return options.write.compact; }, false},
    {"dotted-names", [](ProfilingOptions& options) -> bool& { return options.write.dotted_names; }},
    {"legacy-text", [](ProfilingOptions& options) -> bool& { return options.write.legacy_text; }},
    {"overwrite", [](ProfilingOptions& options) -> bool& { return options.write.overwrite; }},
    {"quiet", [](ProfilingOptions& options) -> bool& { return options.quiet; }},
};

struct Setting {
  const char* name;
  void (*read)(ProfilingOptions&, const std::string& text);
  std::string (*write)(const ProfilingOptions&);  ///< returns an empty text for the default
};

std::uint32_t depth_of(std::string_view text) {
  constexpr std::uint32_t max_depth = 16;
  const auto depth = support::parse_number<std::uint32_t>(text);
  if (!depth || *depth < 1 || *depth > max_depth)
    throw usage_error(fmt::format("invalid value {} for depth", in_quotes(text)),
                      fmt::format("use an integer from 1 to {}", max_depth));
  return *depth;
}

std::string text_of(std::optional<std::uint64_t> number) {
  return number ? std::to_string(*number) : "";
}

constexpr Setting settings[] = {
    {"sample",
     [](ProfilingOptions& options, const std::string& text) {
       options.sample = number_of("sample", text, 1);
     },
     [](const ProfilingOptions& options) {
       return options.sample == 1 ? "" : std::to_string(options.sample);
     }},
    {"first",
     [](ProfilingOptions& options, const std::string& text) { options.first = number_of("first", text); },
     [](const ProfilingOptions& options) { return text_of(options.first); }},
    {"limit",
     [](ProfilingOptions& options, const std::string& text) { options.limit = number_of("limit", text); },
     [](const ProfilingOptions& options) { return text_of(options.limit); }},
    {"depth", [](ProfilingOptions& options, const std::string& text) { options.depth = depth_of(text); },
     [](const ProfilingOptions& options) {
       return options.depth == ProfilingOptions{}.depth ? "" : std::to_string(options.depth);
     }},
    {"memory",
     [](ProfilingOptions& options, const std::string& text) {
       options.memory_bytes = bytes_of("memory", text);
     },
     [](const ProfilingOptions& options) {
       return options.memory_bytes == ProfilingOptions{}.memory_bytes ? ""
                                                                      : std::to_string(options.memory_bytes);
     }},
    {"folder",
     [](ProfilingOptions& options, const std::string& text) {
       if (text.empty()) throw usage_error("missing value for folder", "use folder=DIR");
       options.folder = text;
     },
     [](const ProfilingOptions&) { return std::string(); }},  // set by a separate environment variable
    {"operations",
     [](ProfilingOptions& options, const std::string& text) { options.operations = operations_of(text); },
     [](const ProfilingOptions& options) {
       return options.operations.all() ? "" : names_of(options.operations);
     }},
    {"merge",
     [](ProfilingOptions& options, const std::string& text) {
       if (text != "now" && text != "later")
         throw usage_error(fmt::format("invalid value {} for merge", in_quotes(text)), "use now or later");
       options.merge_later = text == "later";
     },
     [](const ProfilingOptions& options) { return std::string(options.merge_later ? "later" : ""); }},
    {"launch",
     [](ProfilingOptions& options, const std::string& text) {
       if (text.empty() || text.find_first_not_of("0123456789abcdef") != std::string::npos)
         throw usage_error(fmt::format("invalid value {} for launch", in_quotes(text)),
                           "use a hexadecimal number");
       options.launch = text;
     },
     [](const ProfilingOptions& options) { return options.launch; }},
};

template <class Entry, std::size_t size>
const Entry* find(const Entry (&entries)[size], const std::string& name) {
  const auto* const found = std::ranges::find(entries, name, &Entry::name);
  return found == std::end(entries) ? nullptr : found;
}

[[noreturn]] void refuse(const std::string& name, bool with_value) {
  if (!with_value && find(settings, name))
    throw usage_error(fmt::format("missing value for {}", name), fmt::format("use {}=VALUE", name));
  if (with_value && (find(contents, name) || find(switches, name)))
    throw usage_error(fmt::format("{} does not accept a value", name),
                      fmt::format("use {} without a value", name));
  std::vector<std::string> known = profiling_contents();
  for (const Flag& flag : switches) known.emplace_back(flag.name);
  for (const Setting& setting : settings) known.emplace_back(setting.name);
  throw support::unknown_name("profiling option", name, known);
}

void require_contents(const ProfilingOptions& options) {
  if (!options.records_collectives() && !options.mpi)
    throw usage_error("nothing to record",
                      fmt::format("specify one or more of {}", fmt::join(profiling_contents(), ", ")));
}

void read_word(const std::string& word, ProfilingOptions& options) {
  const auto equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const bool with_value = equals != std::string::npos;
  const Flag* const flag = find(contents, name) ? find(contents, name) : find(switches, name);
  const Setting* const setting = find(settings, name);
  if (flag && !with_value)
    flag->member(options) = flag->value;
  else if (setting && with_value)
    setting->read(options, word.substr(equals + 1));
  else
    refuse(name, with_value);
}

}  // namespace

std::string_view launch_in(std::string_view options_text) {
  constexpr std::string_view name = "launch=";
  std::string_view launch;
  for (const std::string_view part : support::split(options_text, ','))
    if (const std::string_view word = support::trimmed(part); word.starts_with(name))
      launch = word.substr(name.size());
  return launch;
}

std::vector<std::string> profiling_contents() {
  std::vector<std::string> names;
  for (const Flag& content : contents) names.emplace_back(content.name);
  return names;
}

ProfilingOptions parse_profiling_options(std::string_view text, ProfilingOptions defaults) {
  ProfilingOptions options = std::move(defaults);
  const std::vector<std::string> words = words_of(text, ',');
  const bool lists_contents =
      std::ranges::any_of(words, [](const std::string& word) { return find(contents, word) != nullptr; });
  if (lists_contents)
    for (const Flag& content : contents) content.member(options) = false;
  for (const std::string& word : words) read_word(word, options);
  if (lists_contents && options.records_collectives() && std::ranges::find(words, no_counts) == words.end())
    options.counts = true;
  options.mpi = options.mpi || options.critical_path;
  require_contents(options);
  check(options.write);
  return options;
}

std::string to_string(const ProfilingOptions& options) {
  require_contents(options);
  ProfilingOptions members = options;
  std::vector<std::string> words;
  for (const Flag& content : contents)
    if (content.member(members) == content.value && (content.value || options.records_collectives()))
      words.emplace_back(content.name);
  for (const Setting& setting : settings)
    if (const std::string value = setting.write(options); !value.empty())
      words.push_back(fmt::format("{}={}", setting.name, value));
  for (const Flag& flag : switches)
    if (flag.member(members) == flag.value) words.emplace_back(flag.name);
  return fmt::format("{}", fmt::join(words, ","));
}

std::vector<std::pair<std::string, std::string>> profiling_environment(const ProfilingOptions& options) {
  return {{profiling_options_variable, to_string(options)}, {profiling_folder_variable, options.folder}};
}

}  // namespace plimsoll::collectives
