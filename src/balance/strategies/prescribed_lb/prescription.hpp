#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::inline v0_1::balance {

/// Where each object shall be, as a user says it.
struct Prescription {
  struct Entry {
    std::uint64_t number;  ///< of the object
    std::int64_t rank;
  };
  std::string source;               ///< for messages: a file, a folder, or "the parameter placement"
  std::vector<std::int64_t> ranks;  ///< of all objects in ascending order of their numbers, or
  std::vector<Entry> entries;       ///< by number
  bool by_number = false;           ///< which of the two
};

/// Reads a placement in one of these forms (blanks, commas and line ends all separate):
///  - `3, 3, 0, 0` or `[3, 3, 0, 0]`: the rank of each object, in ascending order of objects' numbers
///  - `17: 3, 18: 0` or `{"17": 3, "18": 0}`: the number of an object and its rank
///  - a line of two names, such as `object,rank`, and then the same two in each line
/// Throws Error (bad_input), with the line, for anything else. `source` is for messages.
Prescription parse_prescription(std::string_view text, const std::string& source);

/// Where the objects of a phase of an LB data set are; the last phase with data on all ranks if it is -1.
/// Throws Error as reading and load_phase() do.
Prescription read_prescription(const std::string& folder, std::int64_t phase);

}  // namespace plimsoll::balance
