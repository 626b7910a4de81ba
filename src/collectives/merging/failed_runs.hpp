#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Removes the failed calls of one operation on one communicator from runs.
class FailedRuns {
 public:
  explicit FailedRuns(std::vector<LogFailure> failures);

  /// Appends the parts of `run` that did not fail. Returns the number of failures to which it was compared.
  std::uint64_t append_rest(LogRun run, std::vector<LogRun>& rest) const;

 private:
  std::vector<LogFailure> failures_;  // sorted by ids
};

}  // namespace plimsoll::collectives
