#pragma once

// For libraries that intercept MPI calls of a program.
#include <dlfcn.h>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Returns the definition of a function that the program would call without this library: in another
/// preloaded tool, or in MPI. If the search fails, returns MPI's definition of `profiling_name` (PMPI_X).
template <class Function>
Function next_definition(const char* name, Function profiling_name) {
  void* const next = dlsym(RTLD_NEXT, name);
  return next ? reinterpret_cast<Function>(next) : profiling_name;
}

}  // namespace plimsoll::mpi

/// Declares `next`, the next definition of NAME.
#define PLIMSOLL_NEXT(NAME) static const auto next = plimsoll::mpi::next_definition(#NAME, &P##NAME)

/// Begins the definition of an MPI name. The library exports only such names.
#define PLIMSOLL_EXPORT extern "C" __attribute__((visibility("default")))
