#pragma once

// Umbrella header of plimsoll::pelayout: from timing runs of a coupled model to the best assignment of
// processors.
#include <plimsoll/pelayout/answer.hpp>
#include <plimsoll/pelayout/esmf_profile.hpp>
#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/measured_nodes.hpp>
#include <plimsoll/pelayout/own_layout.hpp>
#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/prediction.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/pelayout/sensitivity.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
