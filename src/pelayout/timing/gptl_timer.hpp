#pragma once

#include <cstdint>
#include <string_view>

#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A timer in GPTL's statistics over all ranks.
struct GptlTimer {
  std::int64_t ranks = 0;      ///< number of ranks that used the timer
  std::int64_t threads = 0;    ///< number of threads that used it, on all ranks
  double calls = 0;            ///< number of calls on all ranks
  double longest_s = 0;        ///< time on the slowest rank
  double shortest_s = 0;       ///< time on the fastest rank
  std::int64_t slow_rank = 0;  ///< slowest rank
  std::int64_t fast_rank = 0;  ///< fastest rank
  std::uint64_t line = 0;
};

/// Returns the name in a line that begins with a timer's name in double quotes; empty for other lines.
std::string_view gptl_timer_name(std::string_view line);

/// Reads the numbers in the line of a timer:
///
///     "CPL:ATM_RUN"  -  5400  5400 2.332800e+07  1.689507e+06  325.933 (  321  0)  305.860 ( 1699  0)
///
/// The column "-" exists since GPTL 5. Throws Error (bad_input) for a truncated line and invalid numbers.
GptlTimer read_gptl_timer(const TimingLine& line);

}  // namespace plimsoll::pelayout
