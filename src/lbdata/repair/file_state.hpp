#pragma once

#include <string>

#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// State of a file from the point of view of repair().
enum class FileState {
  whole,       ///< repair() leaves it unchanged
  repairable,  ///< truncated or damaged; repair() keeps its complete phases
  unusable,    ///< repair() throws: the file was never an LB data file, or no phase obeys the schema
};

/// Reads a file and determines its state.
FileState file_state(const std::string& path, const support::SizeLimits& limits);

}  // namespace plimsoll::lbdata
