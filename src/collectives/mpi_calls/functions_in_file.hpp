// The functions in the file of MPI calls.
#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Reads the list of functions. The ranks and windows of `calls` must be known.
void read_functions(const support::JsonView& list, MpiCalls& calls);
void write_functions(support::JsonWriter& json, const MpiCalls& calls);

}  // namespace plimsoll::collectives
