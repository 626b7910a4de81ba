#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Total time of a run, measured and from the models at the task counts of its components. Times are in the
/// unit of the planner's data.
struct Reproduction {
  std::string path;        ///< timing file
  std::int64_t tasks = 0;  ///< MPI tasks of the whole run
  /// Size of the run in the unit of the planner's totals: tasks, or processors (see
  /// Planner::counts_threads()).
  std::int64_t total = 0;
  double predicted = 0;                                      ///< time from the models
  double measured = 0;                                       ///< total time of the run; > 0
  double error() const { return predicted / measured - 1; }  ///< relative error of the prediction
};

/// Computes the expected times of runs from the models, with the arrangement of the run: parts that the
/// layout runs concurrently are added if they share ranks in the run. Omits runs without a total time, and
/// runs that lack a component of the layout, or a model for its thread count. O(runs x components^2).
std::vector<Reproduction> reproduce(const Planner& planner, std::span<const TimingFile> runs);

/// Returns the run whose total is nearest to `total`, as a ratio, or null without runs. The fastest one wins
/// a tie.
const Reproduction* nearest_run(std::span<const Reproduction> runs, std::int64_t total);

/// Returns the median of the sizes of the errors; 0 without runs.
double median_error(std::span<const Reproduction> runs);

}  // namespace plimsoll::pelayout
