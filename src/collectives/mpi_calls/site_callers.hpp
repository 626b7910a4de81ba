#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

// The member "callers" of a site in mpi-calls.json (docs/reference/mpi-calls-file.md).

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Reads the callers of a site, whose other members were read; none if the member is missing. Throws Error
/// (bad_input) if the member is invalid, or contains more calls than the site.
std::vector<MpiCalls::Stack> read_callers(const support::JsonView& from, const MpiCalls::Site& site);

/// Writes the member if callers are known.
void write_callers(support::JsonWriter& json, const MpiCalls::Site& site);

}  // namespace plimsoll::collectives
