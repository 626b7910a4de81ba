#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// User-specified rank of each object.
struct Prescription {
  struct Entry {
    std::uint64_t number;  ///< number of the object
    std::int64_t rank;
  };
  std::string source;  ///< source for messages: a file, a directory, or "the parameter placement"
  std::vector<std::int64_t> ranks;  ///< rank per object, in ascending order of numbers; empty if by_number
  std::vector<Entry> entries;       ///< ranks of objects with their numbers; empty unless by_number
  bool by_number = false;           ///< whether `entries` is used, instead of `ranks`
};

/// Parses a placement in one of these forms (spaces, commas and line ends are all separators):
///  - `3, 3, 0, 0` or `[3, 3, 0, 0]`: the rank of each object, in ascending order of objects' numbers
///  - `17: 3, 18: 0` or `{"17": 3, "18": 0}`: the number of an object and its rank
///  - a line with two names, such as `object,rank`, followed by lines with these two values
/// Throws Error (bad_input), with the line, for any other text. `source` is for messages.
Prescription parse_prescription(std::string_view text, const std::string& source);

}  // namespace plimsoll::balance
