#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The maximum index or ID of calls in a log. Sums of a few such numbers fit easily into 64 bits.
inline constexpr std::uint64_t max_call = std::uint64_t{1} << 60;

/// Calls of one communicator, operation and subject with the same row (or backtrace): the k-th one has the
/// index first_index + k * index_step and the ID first_id + k * id_step. Steps are 1 for a single call.
struct LogRun {
  std::uint64_t first_index = 0;
  std::uint64_t index_step = 1;
  std::uint64_t first_id = 0;
  std::uint64_t id_step = 1;
  std::uint64_t count = 0;
  std::uint32_t item = 0;  ///< index in RankLog::rows or backtraces

  std::uint64_t last_index() const { return first_index + (count - 1) * index_step; }
  std::uint64_t last_id() const { return first_id + (count - 1) * id_step; }
  /// Returns the index of the first call at or after `from`, or UINT64_MAX.
  std::uint64_t next_call(std::uint64_t from) const {
    if (from <= first_index) return first_index;
    if (from > last_index()) return UINT64_MAX;
    return first_index + (from - first_index + index_step - 1) / index_step * index_step;
  }
  std::uint64_t id_of(std::uint64_t index) const {
    return first_id + (index - first_index) / index_step * id_step;
  }
};

/// Failed calls.
struct LogFailure : rank_log::FailureRun {
  std::uint64_t count = 0;
};

inline std::uint64_t last_index(const LogFailure& run) {
  return run.refused == 1 ? run.first_index : run.first_index + run.count - 1;
}
inline std::uint64_t last_id(const LogFailure& run) {
  return run.first_id + run.count - 1;
}

/// Appends the parts of `run` that did not fail. `failures` are sorted by ids.
void append_rest(const LogRun& run, const std::vector<LogFailure>& failures, std::vector<LogRun>& rest);

}  // namespace plimsoll::collectives
