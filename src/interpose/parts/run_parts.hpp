#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/internal/part_times.hpp>
#include <plimsoll/collectives/internal/rank_sums.hpp>

#include "interpose/lifecycle/recording.hpp"

/// The parts of the run of this process: the regions that the program marks, and windows of time. Regions
/// belong to the thread that began to record, which called MPI_Init; other threads are in none.
namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::no_region;
using collectives::PartTimes;
using collectives::Region;
using collectives::RegionTimes;

namespace detail {
inline constinit thread_local Region current_region = no_region;
// Set before calls are recorded.
inline std::uint64_t run_begin_ns = 0;
inline std::int64_t shared_run_begin_ns = 0;
}  // namespace detail

/// Returns the region in which the calls of this thread are.
inline Region current_region() {
  return detail::current_region;
}

/// Returns the time since the run began, from one of this process (now_ns()).
inline std::uint64_t since_run_began(std::uint64_t own_ns) {
  return own_ns - detail::run_begin_ns;
}
/// Returns it from a time of the shared clock.
inline std::uint64_t since_run_began(std::int64_t shared_ns) {
  return static_cast<std::uint64_t>(std::max(std::int64_t{0}, shared_ns - detail::shared_run_begin_ns));
}

/// Begins the run and its recorded time: collective. The run begins on the first rank that calls this.
void begin_parts(MPI_Comm communicator);

/// Keeps the recorded time in the file of this rank. Call it before begin_parts().
void keep_parts_in(collectives::rank_sums::Progress& progress);

/// Ends or continues the recorded time. Returns false if this was done already.
bool pause_parts() noexcept;
bool resume_parts() noexcept;

// Marks of the program. Those of other threads, and those within MPI calls, do nothing.
void begin_region(const char* name) noexcept;
void end_region(const char* name) noexcept;
void set_region_level(int level) noexcept;

/// The parts of the run, with the recorded time.
struct RunParts {
  std::vector<std::string> region_names;  ///< of the regions 1, 2, ...
  PartTimes recorded;
  std::string problem;  ///< first mistake in the marks; "" without mistakes
};
RunParts parts_until_now();

}  // namespace plimsoll::interpose
