#pragma once

#include <plimsoll/collectives/patterns.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Consecutive calls with one pattern.
struct PatternRun {
  NumberList::Run calls;  ///< last ID; IDs between first and last may be missing
  std::size_t pattern = 0;
  std::uint64_t n_calls = 0;
};

/// Returns the runs of patterns in order of calls. Neighbouring runs have different patterns.
std::vector<PatternRun> runs_of(const std::vector<Pattern>& patterns);

/// Finds repetitions: cycles of up to 16 runs.
std::vector<RepeatedCycle> find_cycles(const std::vector<PatternRun>& runs);

}  // namespace plimsoll::collectives
