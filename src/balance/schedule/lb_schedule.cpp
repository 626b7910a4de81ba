#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/strategy.hpp>
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

bool LbScheduleEntry::applies_to(std::int64_t phase) const {
  return modulus ? phase >= offset && (phase - offset) % number == 0 : phase == number;
}

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

// Returns the line without its comment.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || support::blanks.find(line[at - 1]) != std::string_view::npos) return line.substr(0, at);
  return line;
}

// Reads the entry of one line.
class EntryParser {
 public:
  EntryParser(std::string_view line, const std::string& file, std::uint64_t number)
      : line_(without_comment(line)), rest_(line_), file_(file), number_(number) {
    skip_blanks();
  }

  bool at_end() const { return rest_.empty(); }

  LbScheduleEntry entry(EntryLines& lines, StrategyRegistry& registry) {
    LbScheduleEntry entry{.modulus = false, .line = number_};
    const std::size_t begin = column();
    if (rest_.starts_with('%')) {
      entry.modulus = true;
      rest_.remove_prefix(1);
      skip_blanks();
    }
    take_number(entry);
    const auto [place, is_new] = lines.try_emplace({entry.modulus, entry.number}, number_);
    if (!is_new)
      fail(begin,
           fmt::format("duplicate entry for {}{}, first on line {}", entry.modulus ? "%" : "phase ",
                       entry.number, place->second),
           "use a single entry");
    take_strategy(entry.strategy, registry);
    return entry;
  }

 private:
  // An entry without number applies to every phase.
  void take_number(LbScheduleEntry& entry) {
    entry.number = 1;
    if (rest_.empty() || std::string_view("+-0123456789").find(rest_.front()) == std::string_view::npos) {
      entry.modulus = true;
      return;
    }
    const std::size_t begin = column();
    const std::string_view word = support::take_word(rest_);
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), entry.number);
    if (error == std::errc::result_out_of_range)
      fail(begin, fmt::format("the number {} exceeds 64 bits", shown(word)), "check its digits");
    if (error != std::errc() || stop != word.data() + word.size())
      fail(begin, fmt::format("expected a number, found {}", shown(word)), line_grammar);
    if (entry.number < 0) fail(begin, "negative phase number", "use phase numbers from 0");
    if (entry.modulus && entry.number == 0)
      fail(begin, "invalid divisor 0", "use %1 for every phase, or 0 without % for the first");
  }

  void take_strategy(StrategySpec& strategy, StrategyRegistry& registry) {
    skip_blanks();
    const std::size_t begin = column();
    strategy.name = support::take_word(rest_);
    if (strategy.name.empty()) fail(begin, "missing name of a strategy", line_grammar);
    located(begin, [&] { check_lb_arguments(strategy.name, {}, registry); });
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
      // Checks each parameter separately, so that errors have its column.
      const std::size_t argument_begin = column();
      const std::string_view word = support::take_word(rest_);
      located(argument_begin, [&] { take_argument(word, strategy, registry); });
    }
    located(begin, [&] { check_lb_strategy(strategy, registry); });
  }

  static void take_argument(std::string_view word, StrategySpec& strategy, StrategyRegistry& registry) {
    const auto argument = parse_lb_arguments(word).front();
    strategy.parameters.push_back(argument);
    parameter_map(strategy);  // rejects duplicates
    check_lb_arguments(strategy.name, {argument}, registry);
  }

  // Runs an action, and adds file, line and column to its errors.
  template <typename Action>
  void located(std::size_t position, const Action& action) const {
    try {
      action();
    } catch (const Error& error) {
      fail(position, to_string(Diagnostic{.what = error.diagnostic().what, .file = error.diagnostic().file}),
           error.diagnostic().suggestion);
    }
  }

  std::size_t column() const { return line_.size() - rest_.size(); }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(support::blanks), rest_.size()));
  }

  static std::string shown(std::string_view word) { return support::in_quotes(word, 40); }

  [[noreturn]] void fail(std::size_t position, const std::string& what, std::string suggestion) const {
    throw Error(ErrorKind::bad_input, {.what = fmt::format("column {}: {}", position + 1, what),
                                       .file = file_,
                                       .line = number_,
                                       .suggestion = std::move(suggestion)});
  }

  std::string_view line_;
  std::string_view rest_;
  const std::string& file_;
  std::uint64_t number_;
};

}  // namespace

LbSchedule LbSchedule::parse(std::string_view text, const std::string& name, StrategyRegistry registry) {
  LbSchedule schedule;
  EntryLines lines;
  for (support::LineReader reader(text); !reader.at_end(); reader.advance()) {
    EntryParser parser(reader.line(), name, reader.number());
    if (!parser.at_end()) schedule.add(parser.entry(lines, registry));
  }
  return schedule;
}

}  // namespace plimsoll::balance
