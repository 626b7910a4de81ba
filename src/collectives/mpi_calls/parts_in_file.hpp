#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Reads the regions and windows of a file of MPI calls, whose ranks are known. The file may contain neither.
/// Throws Error (bad_input) if they contradict each other or the ranks.
void read_parts(const support::JsonView& root, MpiCalls& calls);

/// Writes the members for those that exist into the open object.
void write_parts(support::JsonWriter& json, const MpiCalls& calls);

}  // namespace plimsoll::collectives
