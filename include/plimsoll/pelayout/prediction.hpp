#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Predicted and measured time of one component in a run, without the layout's rules (overhead, wait).
struct ComponentPrediction {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double predicted = 0;  ///< time predicted by the model
  double measured = 0;   ///< time measured in the run; 0 if not measured
  double error() const;  ///< relative error, predicted / measured - 1; NaN if not measured
};

/// Prediction of a run from the models at its task counts. All times are in the unit of the planner's data.
/// If `predicted` and `from_measured_components` agree, the models are accurate. If
/// `from_measured_components` and `measured` agree, the layout is accurate and covers the whole run time.
struct Prediction {
  std::string path;                             ///< path of the timing file
  std::vector<ComponentPrediction> components;  ///< components of the layout, in its order
  double predicted = 0;                         ///< time of the layout according to the models
  double from_measured_components = 0;          ///< time of the layout with the times measured in this run
  double measured = 0;                          ///< total time of the run; 0 if the file lacks it
  /// Warnings about
  /// - components of the run that took time but are missing from the layout,
  /// - thread counts without a model,
  /// - ranks that contradict the layout: shared by its concurrent parts, or not shared by its sequential
  ///   parts,
  /// - a missing total.
  std::vector<Diagnostic> warnings;
};

/// Compares the models with a run. The total is the number of processors that the layout's components use in
/// the run. Throws Error (bad_input) if the run lacks a component of the layout.
Prediction predict(const Planner& planner, const TimingFile& run);

}  // namespace plimsoll::pelayout
