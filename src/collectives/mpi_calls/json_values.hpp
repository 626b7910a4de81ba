// Values in the file of MPI calls.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

inline std::uint64_t count_of(const support::JsonView& value) {
  return static_cast<std::uint64_t>(value.whole_number(0, std::numeric_limits<std::int64_t>::max()));
}

/// 30,000 years: no program takes longer, and sums over all ranks stay finite.
inline constexpr double max_seconds = 1e12;

inline double seconds_of(const support::JsonView& value) {
  const double seconds = value.number();
  if (!(seconds >= 0 && seconds <= max_seconds))
    throw value.error(fmt::format("invalid time {}: must be >= 0 and <= {}", seconds, max_seconds));
  return seconds;
}

/// Returns whether a sum of parts exceeds the whole by more than the rounding of its parts.
inline bool exceeds(double sum_s, double whole_s) {
  return sum_s > whole_s * (1 + 1e-6) + 1e-6;
}

/// Reads a value that is null or missing if it is unknown.
template <class Value>
std::optional<Value> if_known(const support::JsonView& from, const char* key,
                              Value (*value_of)(const support::JsonView&)) {
  const auto value = from.find(key);
  return !value || value->is_null() ? std::nullopt : std::optional(value_of(*value));
}

/// Reads a list with one value per rank.
template <class Value>
std::vector<Value> of_ranks(const support::JsonView& list, std::size_t n_ranks,
                            Value (*value_of)(const support::JsonView&)) {
  std::vector<Value> values;
  list.for_each_element([&](const support::JsonView& value) { values.push_back(value_of(value)); });
  if (values.size() != n_ranks)
    throw list.error(fmt::format("{} values: expected {}, one per rank", values.size(), n_ranks));
  return values;
}

}  // namespace plimsoll::collectives
