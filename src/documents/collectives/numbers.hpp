#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// Lists numbers one by one.
inline std::vector<std::uint64_t> each_of(const collectives::NumberList& list) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(list.size());
  list.for_each([&](std::uint64_t number) { numbers.push_back(number); });
  return numbers;
}

/// Formats numbers as text such as "0-3, 7".
inline std::string ranges_of(const collectives::NumberList& list) {
  return list.to_string();
}

}  // namespace plimsoll::documents
