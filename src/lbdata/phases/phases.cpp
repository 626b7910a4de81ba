#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

std::string to_string(const PhaseRange& range) {
  return range.first == range.last ? std::to_string(range.first)
                                   : fmt::format("{}-{}", range.first, range.last);
}

std::vector<PhaseRange> joined(std::vector<PhaseRange> ranges) {
  std::ranges::sort(ranges, {}, &PhaseRange::first);
  std::vector<PhaseRange> disjoint;
  for (const PhaseRange& range : ranges) {
    if (disjoint.empty() || range.first > disjoint.back().last)
      disjoint.push_back(range);
    else
      disjoint.back().last = std::max(disjoint.back().last, range.last);
  }
  return disjoint;
}

PhaseRange parse_phase_range(const std::string& text, const std::string& option) {
  const auto wrong = [&](const std::string& what) {
    return support::usage_error(fmt::format("{} {}: {}", option, support::in_quotes(text), what),
                                fmt::format("specify the first and the last phase, e.g. {} 0-1000", option));
  };
  const char* const end = text.data() + text.size();
  const auto number_at = [&](const char* begin, std::int64_t& number) {
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc::result_out_of_range) throw wrong("a number exceeds 64 bits");
    if (error != std::errc() || *begin == '-') throw wrong("expected a range of phases");
    return stop;
  };
  PhaseRange range;
  const char* const dash = number_at(text.data(), range.first);
  range.last = range.first;
  if (dash != end && (*dash != '-' || number_at(dash + 1, range.last) != end))
    throw wrong("expected a range of phases");
  if (range.last < range.first) throw wrong("the range ends before it begins");
  return range;
}

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  bool take(char expected) {
    skip_blanks();
    return support::take(rest_, {&expected, 1});
  }

  std::int64_t number() {
    skip_blanks();
    std::int64_t value = 0;
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') fail("expected a number");
    if (!support::take_number(rest_, value)) fail("the number is too large");
    return value;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  std::size_t position() const { return text_.size() - rest_.size(); }

  [[noreturn]] void fail(const char* what) const { fail(what, position()); }
  [[noreturn]] void fail(const char* what, std::size_t position) const {
    throw support::usage_error(
        fmt::format("phase selection {}, character {}: {}", support::in_quotes(text_), position + 1, what),
        "use numbers, ranges and every n-th phase, separated by commas, e.g. 0-10,20,%50");
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

PhaseSelection PhaseSelection::all() {
  PhaseSelection selection;
  selection.steps_ = {1};
  return selection;
}

PhaseSelection PhaseSelection::parse(std::string_view text) {
  PhaseSelection selection;
  std::vector<PhaseRange> ranges;
  Parser parser(text);
  do {
    if (parser.take('%')) {
      const std::size_t position = parser.position();
      selection.steps_.push_back(parser.number());
      if (selection.steps_.back() == 0) parser.fail("invalid step 0: must be >= 1", position);
      continue;
    }
    const std::int64_t first = parser.number();
    std::int64_t last = first;
    if (parser.take('-')) {
      const std::size_t position = parser.position();
      last = parser.number();
      if (last < first) parser.fail("the range ends before it begins", position);
    }
    ranges.push_back({first, last});
  } while (parser.take(','));
  if (!parser.at_end()) parser.fail("unexpected text");

  selection.ranges_ = joined(std::move(ranges));
  return selection;
}

bool PhaseSelection::contains(std::int64_t phase) const {
  if (phase < 0) return is_all();
  if (std::ranges::any_of(steps_, [phase](std::int64_t step) { return phase % step == 0; })) return true;
  const auto after = std::ranges::upper_bound(ranges_, phase, {}, &PhaseRange::first);
  return after != ranges_.begin() && phase <= std::prev(after)->last;
}

bool PhaseSelection::contains_any(std::int64_t first, std::int64_t last) const {
  if (last < first) return false;
  PLIMSOLL_EXPECT(first >= 0);
  const auto multiple = [&](std::int64_t step) { return first % step == 0 || last / step > first / step; };
  if (std::ranges::any_of(steps_, multiple)) return true;
  const auto after = std::ranges::upper_bound(ranges_, last, {}, &PhaseRange::first);
  return after != ranges_.begin() && first <= std::prev(after)->last;
}

bool PhaseSelection::is_all() const {
  return std::ranges::find(steps_, 1) != steps_.end();
}

}  // namespace plimsoll::lbdata
