#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/next_runs.hpp>
#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/sensitivity.hpp>
#include <plimsoll/pelayout/sweep.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// A question about a problem, and how to answer it.
struct StudyRequest {
  Problem problem;  ///< what was measured
  /// A name, an expression, a YAML file (see find_layout()) or an external solver (see is_external_solver()).
  /// If empty, that of the problem, else IceLndAtmOcn. A program runs only if it is named here: not because a
  /// problem's file names it.
  std::string layout;
  std::vector<std::int64_t> totals;  ///< of tasks, ascending; several are compared. If empty, the problem's
  /// Which total is best, see parse_objective(). Others than "time" choose among 64 totals up to the one
  /// given.
  std::string objective = "time";
  PlanOptions plan;                                 ///< models and solver
  std::map<std::string, std::int64_t> block_sizes;  ///< by component; they go before those of a layout's file
  std::string check;     ///< a timing file to hold the models against; empty for none
  bool analysis = true;  ///< whether to find sensitivity and next runs, which takes several more solutions
};

/// A component that costs something, but is not in the layout.
struct LeftOutComponent {
  std::string component;   ///< its name
  std::int64_t tasks = 0;  ///< on which the PE file puts it
  double cost = 0;         ///< there, by its model, in the problem's unit
};

/// A warning about models that holds for some components of the solution.
struct ModelWarning {
  std::vector<std::string> components;  ///< in the order of the solution
  Diagnostic warning;                   ///< its text without the component's name
};

/// Several totals compared.
struct TotalChoice {
  Sweep sweep;             ///< the best layout of each total
  std::string objective;   ///< "time", "cost", "ratio=0.5"
  std::size_t chosen = 0;  ///< index into the sweep's points
};

/// The answer: the best layout, and what is to be known of it. Costs and times are in the problem's unit.
struct Study {
  Problem problem;                     ///< as requested
  Layout layout;                       ///< of an external solver, its name alone
  PlanOptions plan;                    ///< as requested
  std::string solver;                  ///< who found it: "dp", "cbc", "both", or the external solver
  bool counts_threads = false;         ///< whether totals are of processors, not tasks; see threads_vary()
  std::int64_t total = 0;              ///< given, or chosen among several
  std::vector<ComponentModel> models;  ///< of all components of the problem, in its order
  Solution solution;                   ///< without places if an external solver gives none
  /// COST_ATM, NBLOCKS_ATM, NTASKS_ATM, ..., as CIME's tool names them, by name; or what an external solver
  /// says, in its order.
  std::vector<std::pair<std::string, double>> values;
  std::vector<LeftOutComponent> left_out;  ///< components of the problem that the layout lacks
  std::optional<Sensitivity> sensitivity;  ///< not with an external solver
  std::optional<NextRuns> next_runs;       ///< not with an external solver
  std::optional<Prediction> prediction;    ///< if a timing file was given
  std::optional<TotalChoice> choice;       ///< if there were several totals

  bool per_day() const { return problem.unit == CostUnit::seconds_per_day; }
  /// Null if the problem does not have the component.
  const ComponentModel* model(const std::string& component) const;
  /// Per simulated year, of a solution on so many tasks.
  double core_hours(const Solution& solution, std::int64_t total) const;
  /// The best alternative if it is faster than the solution by more than 0.1 %; else, and without
  /// sensitivity, null.
  const Alternative* faster_layout() const;
  /// The warnings of the models that the solution uses. One that several components share is listed once.
  std::vector<ModelWarning> model_warnings() const;
};

/// Finds the best layout, and what is to be known of it. Throws Error: usage if no total is known, and for
/// requests that contradict the problem or each other; bad_input if there is no solution, or for a broken
/// layout; and as find_layout(), Planner, run_external_solver() and read_timing_file() do.
Study study(const StudyRequest& request);

/// The tables from which the study's solution was chosen, in the order of its layout: one for each component.
/// Empty with an external solver. Makes them again, which takes as long as it took in study().
std::vector<CostTable> cost_tables(const Study& study);

/// The problem together with the question, as it is kept for later: with the layout, and the total if there
/// is one. Throws Error (usage) if no total is known.
Problem problem_with_question(const StudyRequest& request);

}  // namespace plimsoll::pelayout
