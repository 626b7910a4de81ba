#pragma once

#include <span>
#include <string>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the overview for people: phases, loads of the phase that loses the most time, heaviest objects.
/// `with_work`: whether the work was requested. The overview must contain a phase.
std::string overview_text(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview,
                          bool with_work, const Terminal& terminal);
/// Returns the error for an overview without phases: wrong usage if --phases selects them, otherwise invalid
/// input. The data may be in a file or directory that the caller names.
Error no_complete_phases(const std::string& selection, const std::string& path = {});

}  // namespace plimsoll::cli
