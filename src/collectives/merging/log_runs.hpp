#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// rank_log::CallRun for a given communicator, operation and subject; steps are 1 for a single call.
struct LogRun {
  std::uint64_t first_index = 0;
  std::uint64_t index_step = 1;
  std::uint64_t first_id = 0;
  std::uint64_t id_step = 1;
  std::uint64_t count = 0;
  std::uint32_t item = 0;  ///< index in RankLog::rows or backtraces

  std::uint64_t last_index() const { return first_index + (count - 1) * index_step; }
  std::uint64_t last_id() const { return first_id + (count - 1) * id_step; }
  bool contains(std::uint64_t index) const {
    return first_index <= index && index <= last_index() && (index - first_index) % index_step == 0;
  }
  std::uint64_t id_of(std::uint64_t index) const {
    return first_id + (index - first_index) / index_step * id_step;
  }
};

inline std::uint64_t last_index(const rank_log::FailureRun& run) {
  return run.refused == 1 ? run.first_index : run.first_index + run.count - 1;
}
inline std::uint64_t last_id(const rank_log::FailureRun& run) {
  return run.first_id + run.count - 1;
}

/// Runs of one communicator, operation and subject, sorted by first index.
class CallRuns {
 public:
  void add(const LogRun& run) { runs_.push_back(run); }
  void replace(std::vector<LogRun> runs) { runs_ = std::move(runs); }
  /// Counts calls that are not in runs, because they failed.
  void include(std::uint64_t last_index) { failed_end_ = std::max(failed_end_, last_index + 1); }
  /// Sorts the runs. Call it after adding all runs and before find().
  void sort() {
    if (!std::ranges::is_sorted(runs_, {}, &LogRun::first_index))
      std::ranges::stable_sort(runs_, {}, &LogRun::first_index);
    latest_.clear();
    for (const LogRun& run : runs_)
      latest_.push_back(latest_.empty() ? run.last_index() : std::max(latest_.back(), run.last_index()));
  }

  const std::vector<LogRun>& runs() const { return runs_; }
  /// Returns the run that contains this call, or nullptr. O(log(runs) + runs that began before and continue).
  const LogRun* find(std::uint64_t index) const {
    auto position = static_cast<std::size_t>(
        std::ranges::upper_bound(runs_, index, {}, &LogRun::first_index) - runs_.begin());
    while (position-- > 0 && latest_[position] >= index)
      if (runs_[position].contains(index)) return &runs_[position];
    return nullptr;
  }

  /// Returns the largest index plus one.
  std::uint64_t calls() const { return std::max(failed_end_, latest_.empty() ? 0 : latest_.back() + 1); }

 private:
  std::vector<LogRun> runs_;
  std::vector<std::uint64_t> latest_;  // prefix maximum of the runs' last indices
  std::uint64_t failed_end_ = 0;       // largest index of failed calls plus one
};

/// Appends the parts of `run` that did not fail. `failures` are sorted by ids. Returns the number of failures
/// to which the run was compared.
std::uint64_t append_rest(const LogRun& run, const std::vector<rank_log::FailureRun>& failures,
                          std::vector<LogRun>& rest);

}  // namespace plimsoll::collectives
