#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "interpose/rules/mpi_errors.hpp"
#include "interpose/wrappers/fortran_arguments.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Statuses in the program's memory, as in C or Fortran; none if the program ignores them.
class Statuses {
 public:
  Statuses() = default;
  Statuses(const MPI_Status* first) : c_(first == MPI_STATUSES_IGNORE ? nullptr : first) {}
  Statuses(const FortranStatus& first)
      : fortran_(is_fortran_status_ignore(first.address()) || is_fortran_statuses_ignore(first.address())
                     ? nullptr
                     : first.address()) {}
  bool given() const { return c_ != nullptr || fortran_ != nullptr; }
  MPI_Status operator[](std::size_t k) const {
    if (c_) return c_[k];
    MPI_Status status = {};
    PMPI_Status_f2c(fortran_ + k * sizeof(MPI_Status) / sizeof(MPI_Fint), &status);
    return status;
  }

 private:
  const MPI_Status* c_ = nullptr;
  const MPI_Fint* fortran_ = nullptr;
};

/// Requests that a call completed, as its arguments report them afterwards.
struct CompletedRequests {
  bool all = false;
  std::span<const int> positions;  ///< positions in the program's array, if not all are complete
  Statuses statuses;               ///< of these requests
  int first_position = 0;          ///< position of the first request: 0 in C, 1 in Fortran
  int code = MPI_SUCCESS;          ///< MPI's code for the call

  /// Adapts positions that a Fortran procedure returned.
  void count_from_1() {
    first_position = 1;
#if defined(MPICH_VERSION)
    positions = {};  // mpi_f08 of MPICH 4.0 returns positions from 0, against the standard
#endif
  }

  /// Returns the position of the status of the request at this position; nothing if it is not complete.
  std::optional<std::size_t> status_position(int position) const {
    if (all) return static_cast<std::size_t>(position);
    const auto found = std::ranges::find(positions, position + first_position);
    if (found == positions.end()) return std::nullopt;
    return static_cast<std::size_t>(found - positions.begin());
  }

  /// Returns MPI's code for the request at this position, counted from 0; nothing if it is not complete. If
  /// some requests failed and the program ignores their statuses, all of them may have failed.
  std::optional<int> code_of(int position) const {
    const auto status = status_position(position);
    if (!status) return std::nullopt;
    if (!statuses.given() || class_of_error(code) != MPI_ERR_IN_STATUS) return code;
    const int own = statuses[*status].MPI_ERROR;
    return class_of_error(own) == MPI_ERR_PENDING ? std::nullopt : std::optional(own);
  }
};

}  // namespace plimsoll::interpose
