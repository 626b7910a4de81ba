#pragma once

#include <mpi.h>

#include <cstddef>

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "alltoallv/recording/mpi_errors.hpp"
#include "alltoallv/recording/profiler.hpp"
#include "alltoallv/wrappers/arguments.hpp"
#include "alltoallv/wrappers/completed_requests.hpp"

/// Code that wrappers of MPI's names execute around the real call, independent of the language of the name.
/// `call` makes the call and returns MPI's code. If MPI implements one of the names with another, only the
/// outermost call is recorded.
namespace plimsoll::PLIMSOLL_ABI::alltoallv {

/// Wraps a blocking collective.
template <class Call>
int around_collective(const Arguments& arguments, Call&& call) {
  const mpi::Nesting nesting;
  if (!nesting.outermost() || !recording()) return call();
  const CallInProgress in_progress = begin_call(arguments);
  const int code = call();
  if (code == MPI_SUCCESS)
    end_call(in_progress);
  else
    fail_call(in_progress, arguments, code);
  return code;
}

/// Wraps a nonblocking collective; `request` returns the handle of the request that the call made.
template <class Request, class Call>
int around_nonblocking(const Arguments& arguments, Request&& request, Call&& call) {
  const mpi::Nesting nesting;
  if (!nesting.outermost() || !recording()) return call();
  const CallInProgress in_progress = begin_call(arguments);
  const int code = call();
  if (code == MPI_SUCCESS)
    end_nonblocking(in_progress, request());
  else
    fail_call(in_progress, arguments, code);
  return code;
}

/// Wraps a call that waits for `count` requests or tests them; `request(k)` returns the handle of the k-th
/// request, and `completed()` the requests that the call completed.
template <class Request, class Call, class Completed>
int around_completion(int count, Request&& request, Call&& call, Completed&& completed) {
  if (!requests_open()) return call();
  const mpi::Nesting nesting;
  if (!nesting.outermost() || !recording()) return call();
  CompletionInProgress in_progress;
  for (int k = 0; k < count; ++k) begin_completion(request(k), k, in_progress);
  const int code = call();
  if (in_progress.calls.empty()) return code;
  for (OpenCall& open : in_progress.calls) open.after = request(open.position);
  // If MPI rejects the arguments, they are not set.
  CompletedRequests requests = concerns_arguments(code) ? CompletedRequests() : completed();
  requests.code = code;
  end_completion(in_progress, requests);
  return code;
}

/// Wraps MPI_X_init of a collective; `request` returns the handle of the request that the call made.
template <class Request, class Call>
int around_persistent_init(const Arguments& arguments, Request&& request, Call&& call) {
  const mpi::Nesting nesting;
  const int code = call();
  if (nesting.outermost() && code == MPI_SUCCESS && recording()) remember_request(request(), arguments);
  return code;
}

/// Wraps MPI_Start and MPI_Startall of `count` requests; `request(k)` returns the handle of the k-th request.
template <class Request, class Call>
int around_start(int count, Request&& request, Call&& call) {
  const mpi::Nesting nesting;
  if (!nesting.outermost() || !requests_remembered() || !recording()) return call();
  StartInProgress in_progress;
  for (int k = 0; k < count; ++k) begin_start(request(k), in_progress);
  const int code = call();
  end_start(in_progress, code);
  return code;
}

/// Wraps any function that creates a communicator from `parent`, or without one: `communicator` returns the
/// handle of the new one, or MPI_COMM_NULL.
template <class Comm, class Call>
int around_creation(MPI_Comm parent, Comm&& communicator, Call&& call) {
  const mpi::Nesting nesting;
  const int code = call();
  if (nesting.outermost() && code == MPI_SUCCESS && recording()) communicator_created(parent, communicator());
  return code;
}

/// Wraps MPI_Comm_idup and MPI_Comm_idup_with_info of `original`: the new communicator may not be used yet.
template <class Comm, class Call>
int around_delayed_creation(MPI_Comm original, Comm&& communicator, Call&& call) {
  const mpi::Nesting nesting;
  const int code = call();
  if (nesting.outermost() && code == MPI_SUCCESS && recording())
    communicator_being_created(original, communicator());
  return code;
}

}  // namespace plimsoll::alltoallv
