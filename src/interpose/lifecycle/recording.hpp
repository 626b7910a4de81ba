#pragma once

#include <cxxabi.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <exception>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// What this library records: each sink stops on its own if it fails. The values are bits.
enum class Sink : std::uint8_t {
  counts = 1,    ///< counts of collectives (counts/)
  sums = 2,      ///< sums over all MPI calls (sums/)
  arrivals = 4,  ///< comparison of arrivals in blocking collectives (waits/)
  path = 8       ///< critical path (path/)
};

/// The sinks that record the calls of this process.
class ActiveSinks {
 public:
  ActiveSinks() = default;
  explicit ActiveSinks(std::uint8_t bits) : bits_(bits) {}
  bool none() const { return bits_ == 0; }
  bool has(Sink sink) const { return (bits_ & static_cast<std::uint8_t>(sink)) != 0; }
  void add(Sink sink) { bits_ |= static_cast<std::uint8_t>(sink); }
  std::uint8_t bits() const { return bits_; }

 private:
  std::uint8_t bits_ = 0;
};

namespace detail {
inline constexpr std::uint8_t before_init = 0x80;
inline std::atomic<std::uint8_t> active_sinks = before_init;
inline std::atomic<std::uint32_t> pauses = 0;  ///< begun and ended ones
inline std::int64_t clock_offset_ns = 0;       ///< of the shared clock; set before calls are recorded
ActiveSinks start_late() noexcept;
}  // namespace detail

/// Returns the sinks that record calls now; none before MPI_Init and after MPI_Finalize. If MPI_Init was not
/// intercepted, the first call starts recording.
inline ActiveSinks active_sinks() noexcept {
  const std::uint8_t bits = detail::active_sinks.load(std::memory_order_acquire);
  if (bits == detail::before_init) [[unlikely]]
    return detail::start_late();
  return ActiveSinks(bits);
}

/// Returns whether MPI_Pcontrol has paused recording.
inline bool paused() noexcept {
  return detail::pauses.load(std::memory_order_relaxed) % 2 != 0;
}

/// Returns a number that is another one after each pause.
inline std::uint32_t interval_between_pauses() noexcept {
  return detail::pauses.load(std::memory_order_relaxed);
}

/// Stops a sink on this rank, and reports the reason on stderr.
void stop_recording(Sink sink, std::string_view reason) noexcept;

/// Runs a function of a sink and catches all exceptions. After the first exception, the sink records nothing.
/// Does not catch the end of the thread, by cancellation or by pthread_exit() in the program's error handler.
template <class Run>
void guarded(Sink sink, Run&& run) {
  try {
    run();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& error) {
    stop_recording(sink, error.what());
  } catch (...) {
    stop_recording(sink, "an unknown error");
  }
}

/// Returns the time of CLOCK_MONOTONIC in ns.
inline std::uint64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns the time of the clock that all processes share.
inline std::int64_t shared_time_ns(std::uint64_t own_ns) {
  return static_cast<std::int64_t>(own_ns) + detail::clock_offset_ns;
}

/// Time that a call took.
struct CallTime {
  std::uint64_t begin_ns = 0;  ///< 0 if no sink needs the time
  std::uint64_t duration_ns = 0;
};

}  // namespace plimsoll::interpose
