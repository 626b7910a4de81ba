#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Returns a number of the host that this rank runs on, derived from its name (MPI_Get_processor_name). Ranks
/// on one host have the same number. Unlike node_place(), it needs no communication.
std::uint64_t host_number();

}  // namespace plimsoll::mpi
