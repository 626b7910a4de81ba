#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/registry/call_syntax.hpp"
#include "balance/schedule/lb_arguments.hpp"

// Parser of LB configuration files (LbSchedule in lb_schedule.hpp describes the format). Text that vt
// misreads, or that it rejects only when the strategy runs, is an error.
namespace plimsoll::PLIMSOLL_ABI::balance {

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
    parameter_map({strategy.name, strategy.parameters});  // rejects duplicates
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
