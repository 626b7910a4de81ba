#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "interpose/handles/persistent_requests.hpp"
#include "interpose/rules/completed_requests.hpp"
#include "interpose/rules/transfer_rules.hpp"
#include "interpose/sums/thread_record.hpp"

/// Rules for calls with requests of the program: `count` returns the number of requests, and `request` the
/// k-th of them.
namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

struct OneRequest {
  static int count(auto&&...) { return 1; }
  static MPI_Request request(int, const auto& requests, auto&&...) { return requests[0]; }
};

struct SeveralRequests {
  static int count(int count, auto&&...) { return count; }
  static MPI_Request request(int k, int, const auto& requests, auto&&...) {
    return requests[static_cast<std::size_t>(k)];
  }
};

/// Calls that wait for requests or test them. `completed` returns the requests that they completed, from the
/// arguments behind the requests. An index may be MPI_UNDEFINED, as may a number of completed requests: both
/// are negative.
struct Completion : Nothing {};

struct Wait : Completion, OneRequest {
  static CompletedRequests completed(auto&&, Statuses status) { return {.all = true, .statuses = status}; }
};
struct Waitall : Completion, SeveralRequests {
  static CompletedRequests completed(int, auto&&, Statuses statuses) {
    return {.all = true, .statuses = statuses};
  }
};
struct Waitany : Completion, SeveralRequests {
  static CompletedRequests completed(int, auto&&, const int* index, Statuses status) {
    return {.positions = std::span(index, 1), .statuses = status};
  }
};
struct Waitsome : Completion, SeveralRequests {
  static CompletedRequests completed(int, auto&&, const int* count, const int* indices, Statuses statuses) {
    return {.positions = std::span(indices, static_cast<std::size_t>(std::max(*count, 0))),
            .statuses = statuses};
  }
};

struct Test : Completion, OneRequest {
  static CompletedRequests completed(auto&&, const int* flag, Statuses status) {
    return {.all = *flag != 0, .statuses = status};
  }
};
struct Testall : Completion, SeveralRequests {
  static CompletedRequests completed(int, auto&&, const int* flag, Statuses statuses) {
    return {.all = *flag != 0, .statuses = statuses};
  }
};
struct Testany : Completion, SeveralRequests {
  static CompletedRequests completed(int, auto&&, const int* index, const int* flag, Statuses status) {
    return *flag != 0 ? CompletedRequests{.positions = std::span(index, 1), .statuses = status}
                      : CompletedRequests();
  }
};
struct Testsome : Waitsome {};

/// The request remains: a later call completes it, even if its data have arrived.
struct RequestGetStatus : Completion {
  static int count(auto&&...) { return 1; }
  static MPI_Request request(int, MPI_Request request, auto&&...) { return request; }
  static CompletedRequests completed(auto&&...) { return {}; }
};

/// Starts of persistent requests.
struct Starts {
  template <class Rule>
  static void add_all(Transfer& transfer, const auto&... arguments) {
    for (int k = 0; k < Rule::count(arguments...); ++k) {
      const Transfer started = remembered_request(Rule::request(k, arguments...)).transfer;
      record_of_this_thread().add_messages(started);
      transfer.sent_bytes += started.sent_bytes;
      transfer.received_bytes += started.received_bytes;
    }
  }
};
struct Start : Starts, OneRequest {
  static void add(Transfer& transfer, const auto&... arguments) {
    add_all<OneRequest>(transfer, arguments...);
  }
};
struct Startall : Starts, SeveralRequests {
  static void add(Transfer& transfer, const auto&... arguments) {
    add_all<SeveralRequests>(transfer, arguments...);
  }
};

/// Calls that create a communicator, returned by the last argument, from that in the first argument.
struct Creation : Nothing {
  static MPI_Comm parent(MPI_Comm comm, auto&&...) { return comm; }
  static MPI_Comm created(const auto&... arguments) { return last(arguments...)[0]; }
};
/// Calls that create a communicator without a parent in their arguments, or from two groups.
struct CreationWithoutParent : Creation {
  static MPI_Comm parent(auto&&...) { return MPI_COMM_NULL; }
};
/// Calls that begin to copy a communicator: the copy may not be used before the request, the last argument,
/// has completed.
struct DelayedCreation : Creation {
  static MPI_Comm created(const auto&... arguments) {
    return std::get<sizeof...(arguments) - 2>(std::tie(arguments...))[0];
  }
};

/// Calls that free the communicator in the first argument.
struct Freeing : Nothing {
  static MPI_Comm freed(const auto& comms, auto&&...) { return comms[0]; }
};

}  // namespace plimsoll::interpose::rules
