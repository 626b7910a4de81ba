#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "alltoallv/recording/call_in_progress.hpp"
#include "alltoallv/recording/open_calls.hpp"
#include "alltoallv/wrappers/arguments.hpp"
#include "alltoallv/wrappers/completed_requests.hpp"

/// Interface through which wrappers (wrap.hpp) call the profiler of this process. Its functions do not throw,
/// and do not communicate on a communicator of the program.
namespace plimsoll::PLIMSOLL_ABI::alltoallv {

/// Started collective of an MPI_Start or MPI_Startall.
struct StartedRequest {
  MPI_Request request;
  CallInProgress call;
};
/// Started collectives of one MPI_Start or MPI_Startall.
using StartInProgress = std::vector<StartedRequest>;

/// A call that waits for requests or tests them.
struct CompletionInProgress {
  OpenCallList calls;  ///< open collectives whose requests it waits for or tests
  std::uint64_t begin_ns = 0;
};

namespace detail {
enum class State : std::uint8_t { before_init, recording, off };
inline std::atomic<State> state = State::before_init;
inline std::atomic<bool> requests_remembered = false;
inline std::atomic<bool> requests_open = false;
bool start_late() noexcept;
}  // namespace detail

/// Pauses or resumes recording. Calls are still counted.
void pause_recording(bool paused) noexcept;

/// Returns whether calls are recorded. If MPI_Init was not intercepted, the profiler starts with the first
/// call.
inline bool recording() noexcept {
  const detail::State state = detail::state.load(std::memory_order_acquire);
  return state == detail::State::recording || (state == detail::State::before_init && detail::start_late());
}

// Call these functions only while recording() is true:
CallInProgress begin_call(const Arguments& arguments) noexcept;
void end_call(const CallInProgress& in_progress) noexcept;
/// Ends a call for which MPI returned the error `code`.
void fail_call(const CallInProgress& in_progress, const Arguments& arguments, int code) noexcept;
/// Ends the start of a nonblocking collective, which `request` completes.
void end_nonblocking(const CallInProgress& in_progress, MPI_Request request) noexcept;

/// Returns whether calls that wait for requests or test them may be part of a recorded collective.
inline bool requests_open() noexcept {
  return detail::requests_open.load(std::memory_order_relaxed);
}
/// Adds the request at `position` of the program's array if it belongs to an open collective.
void begin_completion(MPI_Request request, int position, CompletionInProgress& in_progress) noexcept;
void end_completion(CompletionInProgress& in_progress, const CompletedRequests& completed) noexcept;
/// Returns whether any request of a persistent collective exists.
inline bool requests_remembered() noexcept {
  return detail::requests_remembered.load(std::memory_order_acquire);
}
void remember_request(MPI_Request request, const Arguments& arguments) noexcept;
void forget_request(MPI_Request request) noexcept;
void begin_start(MPI_Request request, StartInProgress& in_progress) noexcept;
void end_start(const StartInProgress& in_progress, int code) noexcept;

void communicator_created(MPI_Comm parent, MPI_Comm communicator) noexcept;
void communicator_being_created(MPI_Comm original, MPI_Comm communicator) noexcept;

}  // namespace plimsoll::alltoallv
