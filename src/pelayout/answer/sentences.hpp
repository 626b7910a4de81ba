#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns Answer::notes of a study.
std::vector<std::string> notes_of(const Study& study);

}  // namespace plimsoll::pelayout
