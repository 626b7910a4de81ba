#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::pelayout {

/// A component of a run: what the model says, and what was measured.
struct ComponentPrediction {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double predicted = 0;
  double measured = 0;
  double error() const;  ///< predicted / measured - 1; NaN if nothing was measured
};

/// A run predicted from the models at the task counts that it had.
struct Prediction {
  std::string path;
  std::vector<ComponentPrediction> components;
  double predicted = 0;                 ///< the layout's time, from the models
  double from_measured_components = 0;  ///< the layout's time, from what its components took in this run
  double measured = 0;                  ///< the run's total
  std::vector<Diagnostic> warnings;  ///< components without a model, task counts that do not fit the layout
};

/// Holds the models against a run. Throws Error (bad_input) if a component of the layout is not in it.
Prediction predict(const Planner& planner, const TimingFile& run);

}  // namespace plimsoll::pelayout
