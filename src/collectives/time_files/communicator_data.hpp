#pragma once

#include <string>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the text of <coll>_comm_data: a lead's communicators that have times, hashes, locations or
/// backtraces of the operation. Empty without such communicators.
std::string communicator_data_text(const Lead& lead, Operation operation);

/// Reads text in this format and adds its communicators to `lead`.
void read_communicator_data(TimeFileText& text, Lead& lead);

}  // namespace plimsoll::collectives
