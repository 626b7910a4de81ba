#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::lbdata {

/// Which phases a program writes to its LB data files: vt's specification file (`--vt_lb_spec_file`). Each line
/// is an entry `[%]PHASE [NEGATIVE_OFFSET [POSITIVE_OFFSET]]`:
///
///     200 -5 5     phases 195 to 205
///     %100 -3 3    phases whose remainder by 100 is at least 97 or at most 3, so 0-3, 97-103, 197-203, ...
///
/// Offsets are 0 where absent. A phase is written if any entry has it. Comments from # to the end of the line and
/// blank lines are allowed, which vt does not know.
class PhaseSpecification {
 public:
  /// Throws Error (bad_input), with file, line and column, for anything else: what vt misreads silently (a
  /// positive offset below 0, several entries on a line, a % without number) and what it aborts on (a negative
  /// offset above 0, the same phase twice in entries of one kind).
  static PhaseSpecification parse(std::string_view text, const std::string& name);
  /// Throws Error (system) if the file cannot be read.
  static PhaseSpecification read(const std::string& path);

  /// O(number of entries).
  bool includes(std::int64_t phase) const;

 private:
  struct Entry {
    bool modulus = false;
    std::int64_t phase = 0;
    std::int64_t negative_offset = 0;
    std::int64_t positive_offset = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace plimsoll::lbdata
