#pragma once

// Umbrella header of plimsoll::pelayout: from timing runs of a coupled model to the best assignment of
// processors.
#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/dynamic_program.hpp>
#include <plimsoll/pelayout/external_solver.hpp>
#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/layout_pes.hpp>
#include <plimsoll/pelayout/milp.hpp>
#include <plimsoll/pelayout/model_graphs.hpp>
#include <plimsoll/pelayout/next_runs.hpp>
#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/problem_source.hpp>
#include <plimsoll/pelayout/reproduction.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/pelayout/sensitivity.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/pelayout/submission_run.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/pelayout/timeline.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/pelayout/timing_search.hpp>
