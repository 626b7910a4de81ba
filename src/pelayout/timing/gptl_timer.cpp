#include "pelayout/timing/gptl_timer.hpp"

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// A time and the rank on which it was measured: "325.933 (  321      0)".
struct TimeOfRank {
  double seconds = 0;
  std::int64_t rank = 0;
};

TimeOfRank take_time(std::string_view& text, const TimingLine& line, std::string_view what) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    throw line.error("truncated line: missing rank and thread in parentheses");
  std::string_view inside = text.substr(open + 1, close - open - 1);
  const TimeOfRank time = {line.number_of(support::trimmed(text.substr(0, open)), what),
                           line.count_of(support::take_word(inside), "the rank", 0)};
  text.remove_prefix(close + 1);
  return time;
}

}  // namespace

std::string_view gptl_timer_name(std::string_view line) {
  line = support::trimmed(line);
  if (!line.starts_with('"')) return {};
  return line.substr(1, line.rfind('"') - 1);
}

GptlTimer read_gptl_timer(const TimingLine& line) {
  std::string_view rest = line.text().substr(line.text().rfind('"') + 1);
  std::string_view first = support::take_word(rest);
  if (first == "-" || first == "y") first = support::take_word(rest);
  GptlTimer timer;
  timer.line = line.number();
  timer.ranks = line.count_of(first, "the number of processes", 0);
  timer.threads = line.count_of(support::take_word(rest), "the number of threads", 0);
  timer.calls = line.number_of(support::take_word(rest), "the count");
  line.number_of(support::take_word(rest), "the total time");
  const TimeOfRank longest = take_time(rest, line, "the maximum time");
  const TimeOfRank shortest = take_time(rest, line, "the minimum time");
  timer.longest_s = longest.seconds;
  timer.slow_rank = longest.rank;
  timer.shortest_s = shortest.seconds;
  timer.fast_rank = shortest.rank;
  return timer;
}

}  // namespace plimsoll::pelayout
