#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/balance/replay.hpp>
#include <plimsoll/documents/placements.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// One of the replays of a run.
struct NamedReplay {
  std::string name;                      ///< strategy and when it runs, for people
  std::string strategy;                  ///< strategy with its parameters; empty: by a configuration file
  std::optional<std::int64_t> interval;  ///< number of phases between two decisions; empty: by a file
  std::string when;                      ///< condition, as `--when` accepts it
  balance::Replay replay;
};

/// Replays of a run, as `plimsoll replay` computes them.
struct ReplayInfo {
  std::int64_t n_ranks = 0;
  LoadSource loads;
  bool synchronised = false;
  bool is_work = false;  ///< whether times are work according to a work model, not loads
  balance::ReplayCosts costs;
  balance::RecordedBalancing recorded;  ///< what the run itself has decided
  std::vector<NamedReplay> replays;     ///< one or more, in the order requested
  std::string output;                   ///< directory that was written; empty: none

  /// Returns the time of the recorded phases, with the decisions and migrations that the run has recorded
  /// before the last phase.
  double recorded_total_s() const {
    return replays.front().replay.recorded_s() + recorded.decision_s + recorded.migration_s;
  }
};

}  // namespace plimsoll::documents
