#pragma once

#include <string>

#include <plimsoll/documents/replays.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns what `plimsoll replay` prints for people.
std::string replay_text(const documents::ReplayInfo& info, const Terminal& terminal);

/// Returns the phases of a replay as CSV, one line per phase. The columns `imbalance` and `w_max` are the
/// numbers that LBAF writes to imbalance.txt and w_max.txt.
std::string replay_csv(const balance::Replay& replay);

}  // namespace plimsoll::cli
