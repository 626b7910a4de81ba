#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "interpose/rules/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

struct PersistentCall;

/// What each start of a persistent request records.
struct PersistentRequest {
  Transfer transfer;                           ///< in the sums
  std::shared_ptr<const PersistentCall> call;  ///< in the counts; null if nothing
};

namespace detail {
inline std::atomic<bool> requests_remembered = false;
}  // namespace detail

/// Returns whether any persistent request is remembered.
inline bool requests_remembered() noexcept {
  return detail::requests_remembered.load(std::memory_order_acquire);
}

/// Remembers what the starts of a request record in one of the sinks. Throws std::bad_alloc.
void remember_transfer(MPI_Request request, const Transfer& transfer);
void remember_call(MPI_Request request, std::shared_ptr<const PersistentCall> call);

/// Returns what a start of the request records; nothing if it is not known.
PersistentRequest remembered_request(MPI_Request request);

void forget_request(MPI_Request request);
/// Frees the data of all requests; call it before MPI ends.
void forget_requests();

}  // namespace plimsoll::interpose
