#pragma once

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns whether this process has initialised the MPI library that this library calls.
inline bool is_mpi_initialised() {
  int initialised = 0;
  PMPI_Initialized(&initialised);
  return initialised != 0;
}

/// Returns whether the program uses the MPI that this library is built for; if not, prints a message on
/// stderr. With another MPI, no MPI function may be called, because its handles differ. MPICH handles pass
/// through wrappers for Open MPI unchanged. Open MPI handles do not pass through wrappers for MPICH, so the
/// process ends.
inline bool is_the_programs_mpi() {
  char buffer[MPI_MAX_LIBRARY_VERSION_STRING + 8192] = "";  // other MPIs may return longer texts
  int size = 0;
  PMPI_Get_library_version(buffer, &size);
  const std::string_view version = buffer;
  const bool open_mpi = version.find("Open MPI") != std::string_view::npos;
#if defined(OPEN_MPI)
  constexpr bool built_for_open_mpi = true;
#else
  constexpr bool built_for_open_mpi = false;
#endif
  if (open_mpi == built_for_open_mpi) return true;
  const std::string what = fmt::format(
      "plimsoll: this library is for {}, but the program uses \"{}\"; preload libplimsoll-profiler-{}.so",
      built_for_open_mpi ? "Open MPI" : "MPICH", version.substr(0, version.find('\n')),
      built_for_open_mpi ? "mpich" : "openmpi");
  if (!built_for_open_mpi) {
    // Handles of Open MPI have 64 bits, but the wrappers would pass on only 32. When rank 0 has reported this
    // and ended, the launcher ends the other ranks. If it does not, or if rank 0 lacks the library, they
    // report it.
    if (!support::may_be_rank_0()) ::sleep(2);
    std::fputs((what + " so that the program can run\n").c_str(), stderr);
    _exit(1);
  }
  if (support::may_be_rank_0()) std::fputs((what + " to profile the program\n").c_str(), stderr);
  return false;
}

}  // namespace plimsoll::interpose
