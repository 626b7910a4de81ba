#pragma once

#include <plimsoll/pelayout/own_layout.hpp>

#include "pelayout/analysis/layout_time.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the runs in the form in which they calibrate and compete with the layouts of a planner.
KnownRuns known_runs(const Planner& planner, std::span<const TimingFile> runs);

/// A solution, and the time that it is expected to take.
struct Expectation {
  Solution solution;
  ExpectedTime expected;
};

/// Computes the expected times of a planner's solutions. Makes models that do not depend on the total only
/// once.
class Estimator {
 public:
  /// The planner must outlive this object.
  Estimator(const Planner& planner, KnownRuns runs) : planner_(planner), runs_(std::move(runs)) {}

  /// Returns the expected time of a solution for a total; see expected_time(). Its range does not contain
  /// times that the measured costs exclude, see UncertainModels::shortest_time().
  ExpectedTime expected(const Solution& solution, std::int64_t total);
  /// Returns the planner's solution for a total or, if that is expected to be faster by 1 %,
  /// another one of its layout. The planner minimises the time by the models. If components are uncertain,
  /// each of the concurrent parts may be late, and it is better if some are likely to be early. In
  /// the others, one component has the count that is optimal if it takes longer by half to two standard
  /// errors of its cost. No solution is expected to take less than the planner's takes by the models, so
  /// others are computed only if the planner's is expected to take longer than that by worthwhile_gain. Never
  /// returns another one if the plan reproduces CIME's tool. O(components) solutions.
  Expectation best(const Solution& of_planner, std::int64_t total);
  const KnownRuns& runs() const { return runs_; }

 private:
  UncertainModels& models(std::int64_t total);
  std::optional<Solution> cautious(const Place& uncertain, double errors, std::int64_t total);

  const Planner& planner_;
  KnownRuns runs_;
  std::optional<UncertainModels> models_;
};

}  // namespace plimsoll::pelayout
