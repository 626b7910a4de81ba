#pragma once

#include <mpi.h>

#include <tuple>
#include <type_traits>

#include <plimsoll/mpi/internal/wrappers.hpp>

#include "mpi_calls/recording/persistent_requests.hpp"
#include "mpi_calls/recording/recording.hpp"
#include "mpi_calls/recording/thread_record.hpp"
#include "mpi_calls/recording/transfer_rules.hpp"

/// Code that wrappers of MPI's names execute around the real call. `call` makes the call and returns MPI's
/// code. `add_transfer` adds the data of a successful call to a Transfer. If MPI implements one of the names
/// with another, only the outermost call is recorded.
namespace plimsoll::PLIMSOLL_ABI::mpi_calls {

/// Records a call from `return_address`.
template <class Call, class AddTransfer>
int around_call(Function function, const void* return_address, Call&& call, AddTransfer&& add_transfer) {
  const mpi::Nesting nesting;
  if (!nesting.outermost() || !recording()) return call();
  const std::uint64_t begin_ns = now_ns();
  const int code = call();
  const std::uint64_t time_ns = now_ns() - begin_ns;
  guarded([&] {
    ThreadRecord& thread = record_of_this_thread();
    Transfer transfer;
    if (code == MPI_SUCCESS) add_transfer(thread, transfer);
    thread.add_messages(transfer);
    thread.add_call(function, return_address, time_ns, code != MPI_SUCCESS, transfer);
  });
  return code;
}

/// Remembers the data of a persistent request; `request` returns its handle.
template <class Request, class Call, class AddTransfer>
int around_persistent_init(Request&& request, Call&& call, AddTransfer&& add_transfer) {
  const mpi::Nesting nesting;
  const int code = call();
  if (nesting.outermost() && running() && code == MPI_SUCCESS)
    guarded([&] {
      Transfer transfer;
      add_transfer(record_of_this_thread(), transfer);
      remember_request(request(), transfer);
    });
  return code;
}

}  // namespace plimsoll::mpi_calls
