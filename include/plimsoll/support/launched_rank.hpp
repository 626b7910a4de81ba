#pragma once

#include <cstdlib>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Guesses from the launcher's environment variables whether this process is rank 0 of an MPI program, for
/// code that cannot call MPI.
inline bool may_be_rank_0() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace plimsoll::support
