#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/sensitivity.hpp>
#include <plimsoll/pelayout/sweep.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A recommended measurement: a component, its task and thread count, and the reason.
struct WorthMeasuring {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double doubt = 0;  ///< possible error of the layout's time due to the uncertainty at this count
  /// Reason, such as "beyond the 512 tasks measured" or "no measurements between 64 and 512 tasks".
  std::string reason;
};

/// Recommended timing runs.
struct NextRuns {
  std::vector<WorthMeasuring> counts;  ///< highest uncertainty first; only if >= 1 % of the layout's time
  std::vector<PesEntry> runs;          ///< entries for `plimsoll layout submit --pesfile`
};

/// Recommends up to `max_runs` timing runs for a solution that the planner found for a total of tasks or
/// processors: the runs that would improve the solution most.
///
/// The uncertainty of a component at a count, relative to its cost, is the sum of
/// - disagreement: the difference between the planner's model, a fitted curve and a power law through the
///   nearest two measured counts. Straight lines between points overestimate costs, so they are included only
///   if the planner uses them. At least the typical error of the fitted curve; 10 % for a curve through two
///   points, which shows no error. With one point, and if the counts differ by less than 25 %, the difference
///   from a constant cost is included.
/// - noise: the spread of the repeats at the nearest measured count.
/// - distance: 5 % per doubling of the count to the nearest measured one.
///
/// The uncertainty of the layout's time due to a count is this ratio times the component's cost in the
/// solution, minus the component's slack. The slack is subtracted because a smaller error does not change the
/// layout's time.
///
/// Candidate counts are the component's count in the solution, one below and one above. The latter two are
/// halfway (on a logarithmic scale) to the next measured count. If no count beyond was measured, they are
/// half or twice the component's count. The rules and the total limit them. Counts within a third of a
/// doubling of a measured count, or of the component's count, are skipped.
///
/// The first run is the layout itself. It measures every component at its count in the solution, and its time
/// can be compared with the prediction. In the other runs, all components run in sequence, or concurrently if
/// OASIS couples them. Each component uses its most uncertain count that no earlier run contains. If no such
/// count remains or, of concurrent components, fits on the total, it uses its count in the solution.
NextRuns next_runs(const Planner& planner, const Solution& solution, std::int64_t total,
                   std::size_t max_runs = 3);

/// Input of a study: the problem, and options for its solution.
struct StudyRequest {
  Problem problem;               ///< measurements
  std::vector<TimingFile> runs;  ///< runs from which the problem was gathered; may be empty
  /// Name, expression, YAML file (see find_layout()) or external solver (see is_external_solver()). If empty,
  /// the problem's layout is used. If it has none, the layout follows from the components that took time, or
  /// is IceLndAtmOcn for ModelKind::cime. A program runs only if it is specified here, never because a
  /// problem file specifies it.
  std::string layout;
  std::vector<std::int64_t> totals;  ///< totals to compare, ascending; default: the problem's total
  /// Objective that selects the best total; see parse_objective(). With objectives other than "time", a
  /// single total is the maximum of up to 64 compared totals.
  std::string objective = "time";
  PlanOptions plan;                                 ///< models and solver
  std::map<std::string, std::int64_t> block_sizes;  ///< by component; they override those of a layout file
  std::string check;     ///< path of a timing file for comparison with the models; may be empty
  RunFacts facts;        ///< facts about the run of `check` that its file lacks
  bool analysis = true;  ///< whether to compute sensitivity and next runs, which takes several more solutions
  bool needs_next_runs = false;  ///< whether next runs are computed even without analysis
};

/// Returns the layout that a study of the request would use, with the request's block sizes. Throws Error as
/// find_layout() does. The request's layout must not be a program.
Layout requested_layout(const StudyRequest& request);

/// Returns a warning if the requested layout runs components in sequence on the same tasks, although OASIS
/// couples them as programs on separate tasks. Empty otherwise, and for external solvers. Throws Error as
/// requested_layout() does.
std::optional<Diagnostic> warn_of_sequence(const StudyRequest& request);

/// Parts of a study that need the layout's expression, which an external solver does not return.
enum class StudyPart {
  next_runs,       ///< StudyRequest::needs_next_runs
  objective,       ///< an objective other than "time"
  check,           ///< StudyRequest::check
  exact_sum,       ///< PlanOptions::exact_sum
  nodes,           ///< PlanOptions::nodes
  partitions,      ///< PlanOptions::partitions
  several_totals,  ///< a sweep
};

/// Lists the parts of a request that its external solver does not support. Empty for other layouts. study()
/// rejects requests with such parts.
std::vector<StudyPart> unsupported_parts(const StudyRequest& request);

/// A component with a non-zero cost that is missing from the layout.
struct LeftOutComponent {
  std::string component;   ///< component name
  std::int64_t tasks = 0;  ///< task count in the PE file
  double cost = 0;         ///< cost on these tasks, predicted by the model, in the problem's unit
};

/// A model warning that applies to some components of the solution.
struct ModelWarning {
  std::vector<std::string> components;  ///< components in the order of the solution
  Diagnostic warning;                   ///< warning text without the component's name
};

/// Comparison of several totals.
struct TotalChoice {
  Sweep sweep;             ///< best layout of each total
  std::string objective;   ///< objective: "time", "cost", "ratio=0.5"
  std::size_t chosen = 0;  ///< index into the sweep's points
};

/// The layout chosen among the computed ones, which a study compared with the layout of runs.
struct ComputedLayout {
  Layout layout;
  Solution solution;
  ExpectedTime expected;
};

/// Result of a study: the best layout and its analysis. Costs and times are in the problem's unit.
struct Study {
  Problem problem;                     ///< problem of the request
  Layout layout;                       ///< layout; only its name for an external solver
  PlanOptions plan;                    ///< plan options of the request
  std::string solver;                  ///< solver used: "dp", "cbc", "both", or the external solver
  bool counts_threads = false;         ///< whether totals count processors, not tasks; see threads_vary()
  std::int64_t total = 0;              ///< requested total, or the best of several
  std::vector<ComponentModel> models;  ///< models of all components of the problem, in its order
  Solution solution;                   ///< solution; without places if an external solver reports none
  /// Values by name, as in CIME's tool: COST_ATM, NBLOCKS_ATM, NTASKS_ATM, ... For an external solver, the
  /// values that it reports, in its order.
  std::vector<std::pair<std::string, double>> values;
  /// Time that the solution is expected to take, with its range; empty without analysis. `solution.time` is
  /// what the models' costs, without their errors, add up to.
  std::optional<ExpectedTime> expected;
  std::vector<Reproduction> runs;  ///< runs of the request, compared with the models
  /// Fastest layout of the request's runs that fits on the total; empty without such a run or analysis.
  std::optional<OwnLayout> own;
  /// Whether `own` is worth keeping, or no computed layout fits on the total. `layout` and `solution` are
  /// then those of `own`. Never if the request specifies a layout.
  bool is_own_kept = false;
  /// The layout chosen among the computed ones, if `own` is kept and one fits on the total.
  std::optional<ComputedLayout> computed;
  std::vector<LeftOutComponent> left_out;  ///< components of the problem that are not in the layout
  std::optional<Sensitivity> sensitivity;  ///< sensitivity analysis; empty with an external solver
  std::optional<NextRuns> next_runs;       ///< recommended timing runs; empty with an external solver
  std::optional<Prediction> prediction;    ///< prediction, if a timing file was specified
  std::optional<TotalChoice> choice;       ///< comparison of totals, if several were requested

  /// Returns whether the solution is a layout of the request's runs.
  bool keeps_own_layout() const { return is_own_kept; }
  bool per_day() const { return problem.unit == CostUnit::seconds_per_day; }
  /// Returns the model of a component, or null if the problem lacks it.
  const ComponentModel* model(const std::string& component) const;
  /// Returns the expected time of the solution, or its time by the models without analysis.
  double time() const;
  /// Returns the core hours per simulated year for time(), on the total or on the own total of a kept layout.
  double core_hours() const;
  /// Returns the core hours per simulated year of a solution for a total, if it takes `time`.
  double core_hours(const Solution& solution, double time, std::int64_t total) const;
  /// Returns the core hours per simulated year for which the processors of component number k of the
  /// sensitivity analysis wait: for concurrent parts or, if the own layout is kept, as OwnLayout::waiting.
  double waiting_core_hours(std::size_t k) const;
  /// Returns the best alternative if its expected time is below the range of the solution's, and shorter by
  /// more than 0.1 %. Otherwise, and without analysis, returns null.
  const Alternative* faster_layout() const;
  /// Returns the warnings of the models that the solution uses. A warning shared by several components is
  /// listed once.
  std::vector<ModelWarning> model_warnings() const;
};

/// Finds the best layout and analyses it. Throws Error: usage if no total is specified, for totals that do
/// not suit the nodes (see check_totals()), and for requests that contradict the problem or themselves;
/// bad_input if no solution exists, or for an invalid layout. Also throws the errors of find_layout(),
/// Planner, run_external_solver() and read_timing_file().
Study study(const StudyRequest& request);

/// Makes the tables from which the study's solution was selected, one per component, in the order of its
/// layout. Empty with an external solver. Makes the tables again, which takes as long as in study().
std::vector<CostTable> cost_tables(const Study& study);

/// Makes the PE entry of a study's solution. Its comment contains the expected or, of a kept layout, measured
/// time.
PesEntry to_pes(const Study& study);

/// Returns the problem to be saved as a file: the data with the request's layout, its nodes and, if the
/// request has a single total, that total. If the request specifies no layout, `study`, which must answer the
/// request, has chosen it among the computed ones. A kept layout cannot be saved, because the file contains
/// no runs. Throws Error (usage) if no total is specified.
Problem problem_with_question(const StudyRequest& request, const Study& study);

}  // namespace plimsoll::pelayout
