#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Lets rank 0 print the problems of all ranks, each once: "ranks 0-3 WHAT: PROBLEM". Ranks without a problem
/// pass an empty text. Collective; it communicates only the maximum of a number if no rank has a problem.
/// Problems for which rank 0 lacks the memory are not printed.
void report_of_ranks(MPI_Comm comm, std::string_view what, const std::string& problem) noexcept;

}  // namespace plimsoll::interpose
