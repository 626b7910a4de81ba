#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// A component of a run: what the model says, and what was measured. The layout's rules (overhead, wait) are
/// not in these.
struct ComponentPrediction {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double predicted = 0;  ///< by the model
  double measured = 0;   ///< in the run; 0 if not measured
  double error() const;  ///< predicted / measured - 1; NaN if nothing was measured
};

/// A run predicted from the models at the task counts that it had; all in the unit of the planner's data.
/// If `predicted` and `from_measured_components` agree, the models are right; if the latter and `measured`
/// do, so is the layout: then it leaves nothing out that takes time.
struct Prediction {
  std::string path;                             ///< of the timing file
  std::vector<ComponentPrediction> components;  ///< of the layout, in its order
  double predicted = 0;                         ///< the layout's time, from the models
  double from_measured_components = 0;  ///< the layout's time, from what its components took in this run
  double measured = 0;                  ///< the run's total; 0 if the file has none
  /// Components of the run that the layout leaves out though they took time; numbers of threads without a
  /// model; ranks that contradict the layout: shared by what it has side by side, or not shared by what it
  /// has in sequence; a total that is missing.
  std::vector<Diagnostic> warnings;
};

/// Holds the models against a run, made for as many processors as the layout's components have in it. Throws
/// Error (bad_input) if a component of the layout is not in it.
Prediction predict(const Planner& planner, const TimingFile& run);

}  // namespace plimsoll::pelayout
