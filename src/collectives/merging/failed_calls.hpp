#pragma once

#include <set>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Counts the failed calls of a run. A call counts once, regardless of the number of ranks on which it
/// failed.
class FailureCounter {
 public:
  struct OfRank {
    std::uint32_t world_rank;
    const std::vector<LogFailure>* failures;
  };
  using OfRanks = std::vector<OfRank>;

  /// Adds the failures of one operation on one communicator. Returns the indices of the calls that took part,
  /// ascending.
  NumberList add(Operation operation, const OfRanks& of_ranks);

  /// Returns the counts of the operations that failed.
  std::vector<FailedCalls> take() const;

 private:
  struct Sum {
    std::uint64_t calls = 0;
    std::set<std::uint32_t> ranks;
  };
  std::map<std::size_t, Sum> sums_;  // by Operation::index()
};

/// Removes from a log the calls that failed, and calls with negative counts, which MPI refuses. If the
/// program ended, the latter should have failed: throws as fail_at(). Cost: O(runs + failures, and their
/// overlaps).
void remove_failed_calls(RankLog& log, ScatteredCalls& scattered);

}  // namespace plimsoll::collectives
