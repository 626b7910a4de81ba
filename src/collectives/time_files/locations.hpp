#pragma once

#include <string>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::inline v0_1::collectives {

/// The text of <coll>_locations: the ranks of a communicator in MPI_COMM_WORLD, their processes and hosts,
/// and the calls of one operation on it.
std::string locations_text(const Communicator& communicator, const NumberList& calls);

/// Reads such a text and adds what it says to the communicator of `lead`. A line that is malformed loses only
/// itself, but without the ranks hosts and processes say nothing.
void read_locations(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

}  // namespace plimsoll::collectives
