#pragma once

#include <mpi.h>

#include <algorithm>
#include <iterator>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the class of an error code.
inline int class_of_error(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class;
}

/// Returns whether an error concerns the arguments, which MPI checks before it communicates.
inline bool concerns_arguments(int code) {
  constexpr int classes[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE,     MPI_ERR_COMM,   MPI_ERR_ARG,
                             MPI_ERR_RANK,   MPI_ERR_ROOT,  MPI_ERR_TOPOLOGY, MPI_ERR_REQUEST};
  return std::ranges::find(classes, class_of_error(code)) != std::end(classes);
}

}  // namespace plimsoll::interpose
