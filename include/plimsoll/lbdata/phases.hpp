#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phases `first` to `last`, both included.
struct PhaseRange {
  /// Last phase of a range without end.
  static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

  std::int64_t first = 0;
  std::int64_t last = 0;

  /// Returns the number of phases.
  std::int64_t size() const { return last - first + 1; }
  friend bool operator==(const PhaseRange&, const PhaseRange&) = default;
};

/// Formats a range: "97-103", or "7" for one phase.
std::string to_string(const PhaseRange& range);

/// Returns the ranges in ascending order, with overlapping ones joined.
std::vector<PhaseRange> joined(std::vector<PhaseRange> ranges);

/// Parses a range as formatted by to_string(). `option` is the name of the option in messages, such as
/// "--phases". Throws Error (usage) for any other text, a number beyond 64 bits, and a range that ends before
/// it begins.
PhaseRange parse_phase_range(const std::string& text, const std::string& option);

/// Selection of phases in users' notation: `0-10,20,%50` means phases 0 to 10 (both included), 20, and every
/// 50th phase (0, 50, 100...).
class PhaseSelection {
 public:
  /// Selects every phase.
  static PhaseSelection all();
  /// Parses a selection with the grammar `term[,term...]`, term = `N` | `N-M` | `%N`; spaces around terms are
  /// ignored. Throws Error (usage), with the position, for any other text.
  static PhaseSelection parse(std::string_view text);

  /// Returns whether `phase` is selected. Cost: O(log of the number of ranges + number of `%` terms).
  bool contains(std::int64_t phase) const;
  /// Returns whether a phase from `first` to `last` is selected; false if `last` < `first`. Requires `first`
  /// >= 0. Cost: as contains().
  bool contains_any(std::int64_t first, std::int64_t last) const;
  bool is_all() const;

 private:
  PhaseSelection() = default;
  std::vector<PhaseRange> ranges_;  // ascending, not adjacent
  std::vector<std::int64_t> steps_;
};

/// Entry of a PhaseSpecification.
struct PhaseSpecificationEntry {
  bool modulus = false;              ///< whether % precedes the number
  std::int64_t phase = 0;            ///< phase, >= 0; if `modulus`, the divisor, >= 1
  std::int64_t negative_offset = 0;  ///< offset <= 0
  std::int64_t positive_offset = 0;  ///< offset >= 0
  std::uint64_t line = 0;            ///< line of the file, from 1

  bool includes(std::int64_t phase_number) const;
  /// Returns the first range of included phases that ends at or after `from` (>= 0), without its phases
  /// before `from`. Returns nothing if no such range exists.
  std::optional<PhaseRange> next_range(std::int64_t from) const;
  /// Describes the entry in words: "phases 195 to 205", "each multiple of 100, 3 phases before and 3 phases
  /// after it: 0-3, 97-103, 197-203, ...".
  std::string meaning() const;
};

/// Formats an entry as in a file: "%100 -3 3", or "10" if both offsets are 0.
std::string to_string(const PhaseSpecificationEntry& entry);

/// Selection of the phases that a program writes to its LB data files: vt's specification file
/// (`--vt_lb_spec_file`). Each line contains an entry `[%]PHASE [NEGATIVE_OFFSET [POSITIVE_OFFSET]]`:
///
///     200 -5 5     phases 195 to 205
///     %100 -3 3    phases whose remainder by 100 is >= 97 or <= 3, so 0-3, 97-103, 197-203, ...
///
/// Absent offsets are 0. A phase is written if any entry includes it; without entries, no phase is written.
/// Spaces, tabs and carriage returns are white space. As in vt, a number after a complete entry, or a %
/// anywhere, starts another entry on the same line. Unlike vt, comments from # to the end of the line and
/// empty lines are allowed.
class PhaseSpecification {
 public:
  /// Parses a specification. Throws Error (bad_input), with file, line and column, for any other text. This
  /// includes text that vt misreads silently: a positive offset below 0, a negative phase, or a % without
  /// number. It also includes text on which vt aborts: a negative offset above 0, the same phase twice in
  /// entries of one kind, or words.
  static PhaseSpecification parse(std::string_view text, const std::string& name);
  /// Reads a file of up to 16 MiB. Throws Error like parse() and support::read_text_file().
  static PhaseSpecification read(const std::string& path);

  /// Returns whether `phase` is written; false for negative phases. Cost: O(number of entries).
  bool includes(std::int64_t phase) const;
  /// Returns the phases of an interval that are written, as ascending ranges that are not adjacent. Time and
  /// memory are proportional to the number of ranges of all entries that overlap the interval, not to its
  /// length.
  std::vector<PhaseRange> ranges(PhaseRange interval) const;
  /// Returns the entries in the order of the file.
  const std::vector<PhaseSpecificationEntry>& entries() const { return entries_; }

 private:
  std::vector<PhaseSpecificationEntry> entries_;
};

}  // namespace plimsoll::lbdata
