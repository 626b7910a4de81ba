#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "alltoallv/recording/mpi_errors.hpp"

namespace plimsoll::PLIMSOLL_ABI::alltoallv {

/// Statuses in the program's memory, as in C or Fortran; none if the program ignores them.
class Statuses {
 public:
  Statuses() = default;
  Statuses(const MPI_Status* first) : c_(first == MPI_STATUSES_IGNORE ? nullptr : first) {}
  static Statuses of_fortran(const MPI_Fint* first) {
    Statuses statuses;
    statuses.fortran_ = first;
    return statuses;
  }
  bool given() const { return c_ != nullptr || fortran_ != nullptr; }
  /// Returns the error code in a status.
  int code(std::size_t k) const {
    if (c_) return c_[k].MPI_ERROR;
    MPI_Status status = {};
    PMPI_Status_f2c(fortran_ + k * sizeof(MPI_Status) / sizeof(MPI_Fint), &status);
    return status.MPI_ERROR;
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

  /// Returns MPI's code for the request at this position, counted from 0; nothing if it is not complete. If
  /// some requests failed and the program ignores their statuses, all of them may have failed.
  std::optional<int> code_of(int position) const {
    const auto found = std::ranges::find(positions, position + first_position);
    if (!all && found == positions.end()) return std::nullopt;
    if (!statuses.given() || class_of_error(code) != MPI_ERR_IN_STATUS) return code;
    const auto status =
        all ? static_cast<std::size_t>(position) : static_cast<std::size_t>(found - positions.begin());
    const int own = statuses.code(status);
    return class_of_error(own) == MPI_ERR_PENDING ? std::nullopt : std::optional(own);
  }
};

/// Types with the names of MPI's functions that wait for requests or test them. Each reads the arguments that
/// follow the requests. An index may be MPI_UNDEFINED, as may a number of completed requests: both are
/// negative.
namespace completed_by {

struct Waitall {
  CompletedRequests operator()(Statuses statuses) const { return {.all = true, .statuses = statuses}; }
};
struct Wait : Waitall {};

struct Waitsome {
  CompletedRequests operator()(const int* count, const int* indices, Statuses statuses) const {
    return {.positions = std::span(indices, static_cast<std::size_t>(std::max(*count, 0))),
            .statuses = statuses};
  }
};
struct Testsome : Waitsome {};

struct Waitany {
  CompletedRequests operator()(const int* index, Statuses) const {
    return {.positions = std::span(index, 1)};
  }
};

struct Testall {
  CompletedRequests operator()(const int* flag, Statuses statuses) const {
    return *flag != 0 ? Waitall()(statuses) : CompletedRequests();
  }
};
struct Test : Testall {};

struct Testany {
  CompletedRequests operator()(const int* index, const int* flag, Statuses status) const {
    return *flag != 0 ? Waitany()(index, status) : CompletedRequests();
  }
};

/// The request remains: a later call completes it, even if its data have arrived.
struct Request_get_status {
  CompletedRequests operator()() const { return {}; }
};

}  // namespace completed_by

}  // namespace plimsoll::alltoallv
