#pragma once

#include <span>
#include <string>

#include <plimsoll/lbdata/statistics_file.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the phases of an LBStatsfile for people: phases, and all statistics of the phase that loses the
/// most time. `phases` must not be empty.
std::string statistics_text(std::span<const lbdata::StatisticsRecord> phases, const Terminal& terminal);
}  // namespace plimsoll::cli
