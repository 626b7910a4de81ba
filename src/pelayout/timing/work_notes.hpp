#pragma once

#include <span>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Appends a note for each component whose cost excludes waiting, and for each whose ranks do different
/// amounts of work, so that another layout does not help. Of several runs, the one in which it is worst is
/// described. O(runs x components).
void note_work(std::span<const TimingFile> runs, std::vector<Diagnostic>& notes);

}  // namespace plimsoll::pelayout
