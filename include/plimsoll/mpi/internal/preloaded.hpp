#pragma once

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/version.hpp>

/// Functions that each preloaded library defines. The wrappers of MPI's names that all these libraries
/// intercept (src/mpi/preloaded/environment_names.cpp) call them. If MPI implements one of the names with
/// another, only the outermost call counts.
namespace plimsoll::PLIMSOLL_ABI::mpi::hooks {

/// Runs after MPI_Init or MPI_Init_thread has succeeded. Collective.
void after_mpi_init() noexcept;

/// Handles MPI_Pcontrol: 0 pauses, 1 and above resume, and levels below 0 do nothing. MPI defines level 2 as
/// flushing, but no data ever need to be flushed.
void pcontrol(int level) noexcept;

/// Runs before MPI_Request_free frees a request.
void before_request_free(MPI_Request request) noexcept;

}  // namespace plimsoll::mpi::hooks

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Lets MPI_Finalize call a function first, in any language of the program: as MPI defines, it deletes the
/// attributes of MPI_COMM_SELF before anything else.
inline void call_at_finalize(MPI_Comm_delete_attr_function* function) {
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

/// Returns whether this process has initialised the MPI library that a preloaded library calls.
inline bool is_mpi_initialised() {
  int initialised = 0;
  PMPI_Initialized(&initialised);
  return initialised != 0;
}

/// Returns whether the program uses the MPI that a preloaded library, libplimsoll-`name`-<mpi>.so, is built
/// for; if not, prints a message on stderr. With another MPI, no MPI function may be called, because its
/// handles differ. MPICH handles pass through wrappers for Open MPI unchanged. Open MPI handles do not pass
/// through wrappers for MPICH, so the process ends.
inline bool is_the_programs_mpi(std::string_view name) {
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
      "plimsoll: this library is for {}, but the program uses \"{}\"; preload libplimsoll-{}-{}.so",
      built_for_open_mpi ? "Open MPI" : "MPICH", version.substr(0, version.find('\n')), name,
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

/// A communicator of a preloaded library.
struct PrivateWorld {
  MPI_Comm comm = MPI_COMM_NULL;  ///< duplicate of MPI_COMM_WORLD; MPI_COMM_NULL if ranks lack the library
  std::string problem;            ///< why it is MPI_COMM_NULL; empty on all ranks but one
};

/// Duplicates MPI_COMM_WORLD for the preloaded library `library`, if it is loaded into all ranks. Call this
/// function in each rank that has the library, before MPI_Init returns to the program. Ranks without the
/// library are not waited for: the others detect them after 5 s, and continue without a communicator.
///
/// All ranks must see `folder`, in which they meet without MPI (see roll_call.hpp): MPI
/// cannot tell whether a rank has the library. A message to a rank without it could be received by the
/// program, which may accept any message. A collective operation would wait for that rank, and even a
/// nonblocking one would be confused with the program's own. Only local functions of MPI are therefore called
/// until the library is known to be everywhere.
PrivateWorld private_world(std::string_view library, const std::string& folder);

/// Lets rank 0 print the problems of all ranks, each once: "ranks 0-3 WHAT: PROBLEM". Ranks without a problem
/// pass an empty text. Collective; it communicates only the maximum of a number if no rank has a problem.
/// Problems for which rank 0 lacks the memory are not printed.
void report_of_ranks(MPI_Comm comm, std::string_view what, const std::string& problem) noexcept;

}  // namespace plimsoll::mpi
