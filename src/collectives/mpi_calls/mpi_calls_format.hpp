#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

// Values of the members "format" and "version" (docs/reference/mpi-calls-file.md).
constexpr const char* mpi_calls_format = "plimsoll MPI calls";
constexpr std::int64_t mpi_calls_version = 1;

}  // namespace plimsoll::collectives
