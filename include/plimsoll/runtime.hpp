#pragma once

// Includes all of plimsoll::runtime: measurements and load balancing inside a running MPI program.
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/plan.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/work_timer.hpp>
