#pragma once

#include <string>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Returns the text of <coll>_comm_data: the communicators of a lead with times, locations or backtraces of
/// an operation; empty if there are none.
std::string communicator_data_text(const Lead& lead, Operation operation);

/// Reads such a text and adds its communicators to `lead`.
void read_communicator_data(TimeFileText& text, Lead& lead);

}  // namespace plimsoll::collectives
