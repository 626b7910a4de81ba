#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

std::string to_string(const PhaseRange& range) {
  return range.first == range.last ? std::to_string(range.first)
                                   : fmt::format("{}-{}", range.first, range.last);
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

}  // namespace plimsoll::lbdata
