#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/next_runs.hpp>
#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/sensitivity.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::cli {

/// A component that costs something, but is not in the layout.
struct LeftOutComponent {
  std::string component;
  std::int64_t tasks = 0;  ///< on which the PE file puts it
  double cost = 0;         ///< there, by its model
};

/// A sweep, and which of its points was asked for.
struct SweepAnswer {
  pelayout::Sweep sweep;
  std::string objective;   ///< "time", "cost", "ratio=0.5"
  std::size_t chosen = 0;  ///< index into its points
};

/// All that `plimsoll layout solve` says, whether as text or JSON.
struct SolveAnswer {
  pelayout::Problem problem;
  pelayout::Layout layout;
  pelayout::PlanOptions plan;
  std::string solver;  ///< who found it: "dp", "cbc", "both", or the user's executable
  bool counts_threads = false;
  std::int64_t total = 0;
  std::vector<pelayout::ComponentModel> models;  ///< of all components of the data, in its order
  pelayout::Solution solution;
  /// COST_ATM, NBLOCKS_ATM, NTASKS_ATM, ..., as CIME's tool names them, by name; or what a user's own solver
  /// says, in its order.
  std::vector<std::pair<std::string, double>> values;
  std::vector<LeftOutComponent> left_out;
  std::optional<pelayout::Sensitivity> sensitivity;  ///< not of a user's own solver
  std::optional<pelayout::NextRuns> next_runs;       ///< not of a user's own solver
  std::optional<pelayout::Prediction> prediction;
  std::optional<SweepAnswer> sweep;
  std::vector<Diagnostic> warnings;  ///< about the data
  std::string sizes;                 ///< of the problem that solvers see, in lines; for --debug

  bool per_day() const { return problem.unit == pelayout::CostUnit::seconds_per_day; }
  const pelayout::ComponentModel* model(const std::string& component) const;
  /// Per simulated year, of a solution on so many tasks.
  double core_hours(const pelayout::Solution& solution, std::int64_t total) const;
};

/// What CIME's tool calls the numbers of a solution, by name.
std::vector<std::pair<std::string, double>> documented_values(const pelayout::Solution& solution,
                                                              std::int64_t total);

/// `KEY = VALUE` lines as CIME's tool prints them: keys that begin with N as whole numbers.
std::string documented_lines(const SolveAnswer& answer);

}  // namespace plimsoll::cli
