#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Calls at a site that are made on behalf of one place in the source code.
struct Caller {
  std::string location;  ///< as of sites
  std::uint64_t calls = 0;
  double time_s = 0;
  std::optional<std::uint64_t> bytes;  ///< sent and received; empty if unknown
  std::optional<double> waited_s;      ///< part of MpiCalls::Site::waited_s; empty if unknown
  std::vector<Caller> callers;         ///< its own ones, where they differ
};

/// Returns the callers of a site at the innermost level at which they differ, or at which Python code begins,
/// in descending order of time; none if all known calls have the same callers in another language. If the
/// site is in a wrapper of MPI, these are the places that call the wrapper. The callers of each follow from
/// the next level at which they differ. Cost: O(stacks x depth x log stacks).
std::vector<Caller> callers_of(const MpiCalls::Site& site);

/// Returns a short name of a site (short_location()). If more than half of its time belongs to one of several
/// callers, the name contains it: "comm.c:7 (sum_all), mostly called from solve.c:20 (solve)". Python code
/// stands for the module that calls MPI on its behalf: "solve.py:20 (solve)".
std::string name_with_caller(const MpiCalls::Site& site);

}  // namespace plimsoll::collectives
