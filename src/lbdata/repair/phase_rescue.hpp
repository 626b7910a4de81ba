#pragma once

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/writer.hpp>

// What repair keeps of one file: its state, the rescue of its complete phases, and the description of losses.

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// State of a file from the point of view of repair().
enum class FileState {
  whole,       ///< repair() leaves it unchanged
  repairable,  ///< truncated or damaged; repair() keeps its complete phases
  unusable,    ///< repair() throws: the file was never an LB data file, or no phase obeys the schema
};

/// Determines the state of a file. Cost: reads the file.
FileState file_state(const std::string& path, const support::SizeLimits& limits);

/// Returns whether a program writes, or wrote, this file phase by phase (`NAME.partial`).
bool is_stream(const std::string& path);

/// Returns the name of the phases that the program has not added to its partial output file yet.
std::string pending_path(const std::string& path);

/// Data kept from a file. The new file is removed unless its writer is finished or closed.
struct Rescue {
  RepairResult result;
  RankWriter writer;
};

/// Writes the complete phases of a file, and of its `.pending`, to a new file. Throws Error as repair() does.
Rescue rescue_phases(const std::string& path, support::OutputFile new_file,
                     const support::SizeLimits& limits);

}  // namespace plimsoll::lbdata
