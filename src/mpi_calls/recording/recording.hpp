#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <exception>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi_calls {

namespace detail {
enum class State : std::uint8_t { before_init, running, off };
inline std::atomic<State> state = State::before_init;
inline std::atomic<bool> paused = false;
}  // namespace detail

/// Returns whether this process is between MPI_Init and MPI_Finalize, and is being recorded.
inline bool running() {
  return detail::state.load(std::memory_order_acquire) == detail::State::running;
}

/// Returns whether calls are recorded now: MPI_Pcontrol can pause this.
inline bool recording() {
  return running() && !detail::paused.load(std::memory_order_relaxed);
}

/// Stops recording on this rank, and reports the reason on stderr.
void stop_recording(std::string_view reason) noexcept;

/// Runs a function and catches all exceptions. After the first exception, nothing more is recorded.
template <class Run>
void guarded(Run&& run) noexcept {
  try {
    run();
  } catch (const std::exception& error) {
    stop_recording(error.what());
  } catch (...) {
    stop_recording("an unknown error");
  }
}

/// Returns the time of CLOCK_MONOTONIC in ns.
inline std::uint64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace plimsoll::mpi_calls
