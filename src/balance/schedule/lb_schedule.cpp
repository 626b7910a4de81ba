#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/registry/call_syntax.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::array online_strategies = {offline_lb, test_serialization_lb};

bool is_online(const std::string& name) {
  return std::ranges::find(online_strategies, name) != online_strategies.end();
}

std::string help_of(const StrategyInfo& strategy) {
  return fmt::format("{}: {}\n{}", strategy.name, strategy.help, parameter_table(strategy.parameters));
}

/// Throws Error (usage) if a strategy does not exist, or for an unknown parameter or a value of the wrong
/// type. Unlike check_lb_strategy(), does not make the strategy, so that it does not check the ranges of
/// values.
void check_lb_arguments(const std::string& strategy, const ParameterMap& arguments,
                        StrategyRegistry& registry) {
  if (is_online(strategy)) {
    Parameters(strategy, {}, arguments);
  } else {
    const StrategyInfo& info = registry.info(registry.resolve(strategy));
    Parameters(info.name, info.parameters, arguments);
  }
}

}  // namespace

void check_lb_strategy(const StrategySpec& strategy, StrategyRegistry& registry) {
  const ParameterMap parameters = parameter_map(strategy);
  check_lb_arguments(strategy.name, parameters, registry);
  if (!is_online(strategy.name)) registry.create(registry.resolve(strategy.name), parameters);
}

std::vector<std::pair<std::string, std::string>> parse_lb_arguments(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> arguments;
  for (std::string_view word = support::take_word(text); !word.empty(); word = support::take_word(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw support::usage_error(
          fmt::format("invalid strategy argument {}: expected KEY=VALUE", support::in_quotes(word, 40)),
          "use a form such as \"min=0.9 auto=false\", without spaces around =");
    std::string key(word.substr(0, equals));
    if (std::ranges::any_of(arguments, [&](const auto& other) { return other.first == key; }))
      throw support::usage_error(fmt::format("duplicate strategy argument {}", support::in_quotes(key, 40)),
                                 "set it once");
    arguments.emplace_back(std::move(key), word.substr(equals + 1));
  }
  return arguments;
}

std::string lb_arguments_help(const std::string& name, const StrategyRegistry& registry) {
  if (is_online(name)) return fmt::format("{} has no parameters\n", name);
  if (!name.empty() && name != "NoLB") return help_of(registry.info(name));
  std::string text;
  for (const StrategyInfo& strategy : registry.list()) text += (text.empty() ? "" : "\n") + help_of(strategy);
  return text;
}

namespace {

constexpr std::size_t max_excluded = 20;

std::string with_arguments(const StrategySpec& strategy) {
  if (strategy.parameters.empty()) return "";
  std::vector<std::string> arguments;
  for (const auto& [key, value] : strategy.parameters) arguments.push_back(fmt::format("{}={}", key, value));
  std::ranges::sort(arguments);
  return fmt::format(" with arguments `{}`", fmt::join(arguments, " "));
}

/// Returns the multiples of both divisors from 1 to `last`, but at most max_excluded.
std::vector<std::int64_t> common_multiples(std::int64_t left, std::int64_t right, std::int64_t last) {
  const std::int64_t factor = right / std::gcd(left, right);
  std::vector<std::int64_t> multiples;
  if (left > last / factor) return multiples;
  const std::int64_t step = left * factor;
  for (std::int64_t multiple = step; multiples.size() < max_excluded; multiple += step) {
    multiples.push_back(multiple);
    if (multiple > last - step) break;
  }
  return multiples;
}

}  // namespace

LbSchedule LbSchedule::single(StrategySpec strategy, std::int64_t interval, bool first_phase) {
  PLIMSOLL_EXPECT(interval >= 1);
  LbSchedule schedule;
  schedule.add(
      {.modulus = true, .number = interval, .offset = first_phase ? 0 : 1, .strategy = std::move(strategy)});
  return schedule;
}

std::optional<StrategySpec> LbSchedule::strategy(std::int64_t phase) const {
  const LbScheduleEntry* entry = entry_of(phase);
  if (entry == nullptr || entry->strategy.name == "NoLB") return std::nullopt;
  return entry->strategy;
}

bool LbSchedule::uses(std::string_view strategy) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) { return entry.strategy.name == strategy; });
}

std::string LbSchedule::table() const {
  std::vector<const LbScheduleEntry*> modulus;  // ascending, as vt lists them
  std::int64_t last = 0;
  for (const LbScheduleEntry& entry : entries_) {
    if (entry.modulus) modulus.push_back(&entry);
    last = std::max(last, entry.number);
  }
  std::ranges::sort(modulus, {}, &LbScheduleEntry::number);
  std::string text;
  if (!exact_.empty()) text += "Exact config lines:\n";
  for (const auto& [phase, index] : exact_)
    text += fmt::format("Run `{}` on phase {}{}\n", entries_[index].strategy.name, phase,
                        with_arguments(entries_[index].strategy));
  if (!modulus.empty()) text += "Mod (%) config lines:\n";
  for (const LbScheduleEntry* entry : modulus) {
    std::set<std::int64_t> excluded;
    for (const auto& [phase, index] : exact_)
      if (phase > 0 && entry->applies_to(phase)) excluded.insert(phase);
    for (const LbScheduleEntry& earlier : entries_) {
      if (&earlier == entry) break;
      if (!earlier.modulus) continue;
      const auto multiples = common_multiples(entry->number, earlier.number, last);
      excluded.insert(multiples.begin(), multiples.end());
    }
    const bool all_shown = excluded.size() <= max_excluded;
    if (!all_shown) excluded.erase(std::next(excluded.begin(), max_excluded), excluded.end());
    text +=
        fmt::format("Run `{}` every {} phases{}{}{}{}\n", entry->strategy.name, entry->number,
                    entry->offset == 0 ? "" : fmt::format(" from phase {}", entry->offset),
                    with_arguments(entry->strategy),
                    excluded.empty() ? "" : fmt::format(" excluding phases {}", fmt::join(excluded, ", ")),
                    all_shown ? "" : ", ...");
  }
  return text;
}

void LbSchedule::add(LbScheduleEntry entry) {
  if (!entry.modulus) exact_.emplace(entry.number, entries_.size());
  entries_.push_back(std::move(entry));
}

const LbScheduleEntry* LbSchedule::entry_of(std::int64_t phase) const {
  if (const auto exact = exact_.find(phase); exact != exact_.end()) return &entries_[exact->second];
  const auto found = std::ranges::find_if(
      entries_, [&](const LbScheduleEntry& entry) { return entry.modulus && entry.applies_to(phase); });
  return found == entries_.end() ? nullptr : &*found;
}

// Parser of LB configuration files (LbSchedule in lb_schedule.hpp describes the format). Text that vt
// misreads, or that it rejects only when the strategy runs, is an error.
namespace {

constexpr const char* line_grammar =
    "use [%] [NUMBER] STRATEGY [KEY=VALUE ...] for an entry, or # for a comment";

// Lines of the entries by modulus and number.
using EntryLines = std::map<std::pair<bool, std::int64_t>, std::uint64_t>;

/// Word of a line, and its column from 1.
struct Word {
  std::string_view text;
  std::size_t column;
};

/// Returns the words before the comment, and an empty word where they end.
std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  std::string_view rest = line;
  do {
    rest.remove_prefix(std::min(rest.find_first_not_of(support::blanks), rest.size()));
    const std::size_t column = line.size() - rest.size() + 1;
    words.push_back({rest.starts_with('#') ? std::string_view() : support::take_word(rest), column});
  } while (!words.back().text.empty());
  return words;
}

// Reads the entry of one line.
class EntryParser {
 public:
  EntryParser(std::string_view line, const std::string& file, std::uint64_t number)
      : words_(words_of(line)), file_(file), number_(number) {}

  bool is_empty() const { return words_.front().text.empty(); }

  LbScheduleEntry entry(EntryLines& lines, StrategyRegistry& registry) {
    LbScheduleEntry entry{.number = 1, .line = number_};
    auto word = words_.begin();
    const Word first = *word;
    if (word->text.starts_with('%')) {
      entry.modulus = true;
      *word = {word->text.substr(1), word->column + 1};
      if (word->text.empty()) ++word;
    }
    if (word->text.find_first_of("+-0123456789") == 0)
      read_number(*word++, entry);
    else
      entry.modulus = true;  // an entry without number applies to every phase
    const auto [place, is_new] = lines.try_emplace({entry.modulus, entry.number}, number_);
    if (!is_new)
      fail(first,
           fmt::format("duplicate entry for {}{}, first on line {}", entry.modulus ? "%" : "phase ",
                       entry.number, place->second),
           "use a single entry");
    read_strategy(std::span(word, words_.end()), entry.strategy, registry);
    return entry;
  }

 private:
  void read_number(const Word& word, LbScheduleEntry& entry) const {
    const char* const end = word.text.data() + word.text.size();
    const auto [stop, error] = std::from_chars(word.text.data(), end, entry.number);
    if (error == std::errc::result_out_of_range)
      fail(word, fmt::format("the number {} exceeds 64 bits", support::in_quotes(word.text, 40)),
           "check its digits");
    if (error != std::errc() || stop != end)
      fail(word, fmt::format("expected a number, found {}", support::in_quotes(word.text, 40)), line_grammar);
    if (entry.number < 0) fail(word, "negative phase number", "use phase numbers from 0");
    if (entry.modulus && entry.number == 0)
      fail(word, "invalid divisor 0", "use %1 for every phase, or 0 without % for the first");
  }

  /// Reads the name and the arguments. Checks each argument separately, so that errors have its column.
  void read_strategy(std::span<const Word> words, StrategySpec& strategy, StrategyRegistry& registry) const {
    const Word& name = words.front();
    strategy.name = name.text;
    if (strategy.name.empty()) fail(name, "missing name of a strategy", line_grammar);
    located(name, [&] { check_lb_arguments(strategy.name, {}, registry); });
    for (const Word& word : words.subspan(1, words.size() - 2))
      located(word, [&] {
        const auto argument = parse_lb_arguments(word.text).front();
        strategy.parameters.push_back(argument);
        parameter_map(strategy);  // rejects duplicates
        check_lb_arguments(strategy.name, {argument}, registry);
      });
    located(name, [&] { check_lb_strategy(strategy, registry); });
  }

  // Runs an action, and adds file, line and column to its errors.
  template <typename Action>
  void located(const Word& word, const Action& action) const {
    try {
      action();
    } catch (const Error& error) {
      fail(word, to_string(Diagnostic{.what = error.diagnostic().what, .file = error.diagnostic().file}),
           error.diagnostic().suggestion);
    }
  }

  [[noreturn]] void fail(const Word& word, const std::string& what, std::string suggestion) const {
    throw Error(ErrorKind::bad_input, {.what = fmt::format("column {}: {}", word.column, what),
                                       .file = file_,
                                       .line = number_,
                                       .suggestion = std::move(suggestion)});
  }

  std::vector<Word> words_;
  const std::string& file_;
  std::uint64_t number_;
};

}  // namespace

LbSchedule LbSchedule::parse(std::string_view text, const std::string& name, StrategyRegistry registry) {
  LbSchedule schedule;
  EntryLines lines;
  for (support::LineReader reader(text); !reader.at_end(); reader.advance()) {
    EntryParser parser(reader.line(), name, reader.number());
    if (!parser.is_empty()) schedule.add(parser.entry(lines, registry));
  }
  return schedule;
}

}  // namespace plimsoll::balance
