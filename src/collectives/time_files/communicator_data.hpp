#pragma once

#include <string>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::inline v0_1::collectives {

/// The text of <coll>_comm_data: the communicators of a lead on which there are times, locations or back
/// traces of an operation; empty if there is none.
std::string communicator_data_text(const Lead& lead, Operation operation);

/// Reads such a text: its communicators are added to `lead`.
void read_communicator_data(TimeFileText& text, Lead& lead);

}  // namespace plimsoll::collectives
