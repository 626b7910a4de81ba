#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/metadata.hpp>
#include <plimsoll/lbdata/phase_specification.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phases that a running program has ended without writing them. Their lists belong to the metadata, which
/// such a program writes last. This summary has a constant size, so that the program can keep it up to date
/// on disk: together with the written phases it determines the lists, which repair() restores if the program
/// is killed.
struct ElidedPhases {
  bool identical = false;  ///< whether phases identical to the previous one are elided
  /// Selection of the phases to write; the others are skipped. Absent: no phase is skipped.
  std::optional<PhaseSpecification> specification;
  std::int64_t count = 0;  ///< number of elided phases
  std::int64_t last = -1;  ///< the last of them, -1 without any

  /// Returns the lists, given which phases are written: all other phases from 0 to `last` are elided. Returns
  /// nothing if their number is not `count`, because then written phases were lost, or if `last` is above ten
  /// million. Cost: O(last).
  std::optional<PhaseMetadata> lists(const std::function<bool(std::int64_t)>& is_written) const;
};

/// Formats the summary as one line, with which the file of pending phases (`.pending`) begins.
std::string to_line(const ElidedPhases& elided);
/// Formats `count` and `last` as in the line, always with the same length, at the position counts_offset.
std::string counts_text(const ElidedPhases& elided);
/// Position of counts_text() in the line, in bytes.
inline constexpr std::size_t counts_offset = 7;
/// Reads the line and removes it from `text`. Returns nothing, and changes nothing, if the text does not
/// begin with a complete line.
std::optional<ElidedPhases> take_line(std::string_view& text);

}  // namespace plimsoll::lbdata
