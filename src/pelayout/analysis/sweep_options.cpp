#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::int64_t max_totals = 100'000;
constexpr std::int64_t max_total = 100'000'000;  // larger than any machine; tables have one entry per count

Error no_totals(std::string_view text, const std::string& why) {
  return support::usage_error(fmt::format("invalid total tasks {}: {}", support::in_quotes(text), why),
                              "use a number (1024), several (512,1024), or first:last:step (512:8192:512)");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::int64_t> numbers(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, separator)) {
    const auto value = support::parse_number<std::int64_t>(part);
    if (!value) throw no_totals(text, fmt::format("{} is not an integer", support::in_quotes(part)));
    if (*value < 1 || *value > max_total)
      throw no_totals(text, fmt::format("{} must be between 1 and {}", *value, max_total));
    numbers.push_back(*value);
  }
  return numbers;
}

std::vector<std::int64_t> range(std::string_view text) {
  const std::vector<std::int64_t> bounds = numbers(text, ':');
  if (bounds.size() != 3) throw no_totals(text, "a range must have three numbers");
  const std::int64_t first = bounds[0], last = bounds[1], step = bounds[2];
  if (last < first) throw no_totals(text, "the end must not be below the start");
  if ((last - first) / step >= max_totals)
    throw no_totals(text, fmt::format("more than {} totals", max_totals));
  std::vector<std::int64_t> totals;
  for (std::int64_t total = first; total <= last; total += step) totals.push_back(total);
  return totals;
}

}  // namespace

std::vector<std::int64_t> parse_totals(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return range(text);
  std::vector<std::int64_t> totals = numbers(text, ',');
  std::ranges::sort(totals);
  totals.erase(std::unique(totals.begin(), totals.end()), totals.end());
  if (totals.size() > max_totals) throw no_totals(text, fmt::format("more than {} totals", max_totals));
  return totals;
}

Objective parse_objective(std::string_view text) {
  if (text == "time") return {1};
  if (text == "cost") return {0};
  constexpr std::string_view ratio = "ratio=";
  if (text.starts_with(ratio)) {
    const auto weight = support::parse_number<double>(text.substr(ratio.size()));
    if (weight && *weight >= 0 && *weight <= 1) return {*weight};
  }
  throw support::usage_error(
      fmt::format("unknown objective {}", support::in_quotes(text)),
      "use time, cost, or ratio=W with the weight W of time between 0 (cost) and 1 (time)");
}

}  // namespace plimsoll::pelayout
