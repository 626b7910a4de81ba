#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace plimsoll::inline v0_1::alltoallv {

/// Requests that a call completed, as its arguments report them afterwards.
struct CompletedRequests {
  bool all = false;
  std::span<const int> positions;  ///< positions in the program's array, if not all are complete
  int first_position = 0;          ///< position of the first request: 0 in C, 1 in Fortran

  /// Returns whether the request at this position, counted from 0, is complete.
  bool contains(int position) const {
    return all || std::ranges::find(positions, position + first_position) != positions.end();
  }
};

/// Reads the arguments that follow the requests, for each function of MPI that waits for requests or tests
/// them. An index may be MPI_UNDEFINED, as may a number of completed requests: both are negative.
namespace completed_by {

inline CompletedRequests Wait(const void*) {
  return {.all = true};
}
inline CompletedRequests Waitall(const void*) {
  return {.all = true};
}
inline CompletedRequests Waitany(const int* index, const void*) {
  return {.positions = std::span(index, 1)};
}
inline CompletedRequests Waitsome(const int* count, const int* indices, const void*) {
  return {.positions = std::span(indices, static_cast<std::size_t>(std::max(*count, 0)))};
}
inline CompletedRequests Test(const int* flag, const void*) {
  return {.all = *flag != 0};
}
inline CompletedRequests Testall(const int* flag, const void*) {
  return {.all = *flag != 0};
}
inline CompletedRequests Testany(const int* index, const int* flag, const void* status) {
  return *flag != 0 ? Waitany(index, status) : CompletedRequests();
}
inline CompletedRequests Testsome(const int* count, const int* indices, const void* statuses) {
  return Waitsome(count, indices, statuses);
}

}  // namespace completed_by

}  // namespace plimsoll::alltoallv
