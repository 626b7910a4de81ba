#pragma once

// Includes all of plimsoll::runtime: measurements and load balancing inside a running MPI program.
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/clock.hpp>
#include <plimsoll/runtime/collective_call_hook.hpp>
#include <plimsoll/runtime/configuration.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/migration_plan.hpp>
#include <plimsoll/runtime/move.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/object_transport.hpp>
#include <plimsoll/runtime/past_load.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/plan.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/user_value.hpp>
#include <plimsoll/runtime/wait_watch.hpp>
