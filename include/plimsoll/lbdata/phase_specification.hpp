#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/phase_range.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// One entry of a PhaseSpecification.
struct PhaseSpecificationEntry {
  bool modulus = false;              ///< % stands before the number
  std::int64_t phase = 0;            ///< 0 or more; what to divide by, 1 or more, if `modulus`
  std::int64_t negative_offset = 0;  ///< 0 or less
  std::int64_t positive_offset = 0;  ///< 0 or more
  std::uint64_t line = 0;            ///< of the file, from 1

  bool includes(std::int64_t phase_number) const;
  /// The first range of included phases that has a phase of `from` (0 or more) or later, without what it has
  /// before `from`; empty if there is none.
  std::optional<PhaseRange> next_range(std::int64_t from) const;
  /// What it means, in words: "phases 195 to 205", "each multiple of 100, 3 phases before and 3 phases after
  /// it: 0-3, 97-103, 197-203, ...".
  std::string meaning() const;
};

/// As it is written: "%100 -3 3", "10" where both offsets are 0.
std::string to_string(const PhaseSpecificationEntry& entry);

/// Which phases a program writes to its LB data files: vt's specification file (`--vt_lb_spec_file`). Each
/// line is an entry `[%]PHASE [NEGATIVE_OFFSET [POSITIVE_OFFSET]]`:
///
///     200 -5 5     phases 195 to 205
///     %100 -3 3    phases whose remainder by 100 is at least 97 or at most 3, so 0-3, 97-103, 197-203, ...
///
/// Offsets are 0 where absent. A phase is written if any entry includes it, so none is if there is no entry.
/// Blanks are spaces, tabs and carriage returns. As in vt, the number after a complete entry, and a %
/// anywhere, begins another one on the same line. Comments from # to the end of the line and blank lines are
/// allowed, which vt does not know.
class PhaseSpecification {
 public:
  /// Throws Error (bad_input), with file, line and column, for anything else: what vt misreads silently (a
  /// positive offset below 0, a negative phase, a % without number) and what it aborts on (a negative offset
  /// above 0, the same phase twice in entries of one kind, text).
  static PhaseSpecification parse(std::string_view text, const std::string& name);
  /// Reads a file of at most 16 MiB. Throws Error as parse() and support::read_text_file() do.
  static PhaseSpecification read(const std::string& path);

  /// Whether a phase is written; negative ones never are. O(number of entries).
  bool includes(std::int64_t phase) const;
  /// The phases of an interval that are written, ascending and apart from each other. Time and memory grow
  /// with the number of ranges of all entries that meet the interval, not with its length.
  std::vector<PhaseRange> ranges(PhaseRange interval) const;
  /// In the order of the file.
  const std::vector<PhaseSpecificationEntry>& entries() const { return entries_; }

 private:
  std::vector<PhaseSpecificationEntry> entries_;
};

}  // namespace plimsoll::lbdata
