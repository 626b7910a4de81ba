#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/strategy.hpp>
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

/// Reads the placement of one phase of an LB data set; -1 selects the last phase with data on all ranks.
/// Throws the same Errors as the reader and load_phase().
Prescription read_prescription(const std::string& folder, std::int64_t phase);

/// Places every object on the rank that the user specifies, in order to test or replay an existing placement.
/// Cost: O(objects log objects). Source: PrescribedPermutation of LBAF 1.6, OfflineLB of vt 1.6.
class PrescribedLB : public Strategy {
 public:
  /// Throws Error (usage) unless exactly one of `placement`, `file` and `data` is given. Throws the same
  /// Errors as the reader of that source.
  explicit PrescribedLB(const Parameters& parameters);
  /// Also throws Error (usage) for an invalid placement. It is invalid if it lacks a migratable object,
  /// contains unknown objects, or migrates non-migratable objects. It is also invalid if it uses ranks that
  /// do not exist or are not available.
  void work(LDStats& stats) override;
  bool minimises_score() const override { return false; }

 private:
  Prescription prescription_;
};

}  // namespace plimsoll::balance
