#pragma once

#include <plimsoll/pelayout/own_layout.hpp>

#include "pelayout/analysis/layout_time.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the runs in the form in which they calibrate and compete with the layouts of a planner.
KnownRuns known_runs(const Planner& planner, std::span<const TimingFile> runs);

/// Computes the expected times of a planner's solutions. Makes models that do not depend on the total only
/// once.
class Estimator {
 public:
  /// The planner must outlive this object.
  Estimator(const Planner& planner, KnownRuns runs) : planner_(planner), runs_(std::move(runs)) {}

  /// Returns the expected time of a solution for a total; see expected_time().
  ExpectedTime expected(const Solution& solution, std::int64_t total);
  const KnownRuns& runs() const { return runs_; }

 private:
  const Planner& planner_;
  KnownRuns runs_;
  std::optional<UncertainModels> models_;
};

}  // namespace plimsoll::pelayout
