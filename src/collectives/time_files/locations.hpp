#pragma once

#include <string>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the text of <coll>_locations: the ranks of a communicator in MPI_COMM_WORLD, their processes and
/// hosts, and its calls of one operation.
std::string locations_text(const Communicator& communicator, const NumberList& calls);

/// Reads text in this format and adds its content to the communicator of `lead`. A malformed line does not
/// affect other lines, except that hosts and processes are ignored if the ranks are missing.
void read_locations(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

}  // namespace plimsoll::collectives
