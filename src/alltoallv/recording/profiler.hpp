#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include <plimsoll/collectives/recorder.hpp>

#include "alltoallv/wrappers/arguments.hpp"

/// What wrappers (wrap.hpp) tell the profiler of this process. Nothing here throws, or calls anything that
/// communicates on a communicator of the program.
namespace plimsoll::inline v0_1::alltoallv {

/// What end_call() needs to know of a call.
struct CallInProgress {
  collectives::Recorder::Call call;
  std::uint64_t begin_ns = 0;  ///< 0 if it is not timed
};

/// The collectives that an MPI_Start or MPI_Startall starts.
using StartInProgress = std::vector<CallInProgress>;

namespace detail {
enum class State : std::uint8_t { before_init, recording, off };
inline std::atomic<State> state = State::before_init;
inline std::atomic<bool> requests_remembered = false;
bool start_late() noexcept;
}  // namespace detail

/// Starts the profiler: MPI_Init or MPI_Init_thread has returned. Collective.
void after_mpi_init() noexcept;
/// MPI_Pcontrol: 0 pauses, 1 and above resume (there is never anything to flush, which MPI means by 2), and
/// levels below 0 do nothing. Calls count on.
void pcontrol(int level) noexcept;

/// Whether calls are recorded. If MPI was initialised unnoticed, the profiler starts with the first call.
inline bool recording() noexcept {
  const detail::State state = detail::state.load(std::memory_order_acquire);
  return state == detail::State::recording || (state == detail::State::before_init && detail::start_late());
}

// Only while recording():
CallInProgress begin_call(const Arguments& arguments) noexcept;
void end_call(const CallInProgress& in_progress) noexcept;

/// Whether there is any request of a persistent collective.
inline bool requests_remembered() noexcept {
  return detail::requests_remembered.load(std::memory_order_acquire);
}
void remember_request(MPI_Request request, const Arguments& arguments) noexcept;
void forget_request(MPI_Request request) noexcept;
void begin_start(MPI_Request request, StartInProgress& in_progress) noexcept;
void end_start(const StartInProgress& in_progress) noexcept;

void communicator_created(MPI_Comm parent, MPI_Comm communicator) noexcept;
void communicator_being_created(MPI_Comm original, MPI_Comm communicator) noexcept;

}  // namespace plimsoll::alltoallv
