#pragma once

/// Measuring inside a running MPI program: objects, messages, phases, and the LB data files made of them.
#include <plimsoll/runtime/clock.hpp>
#include <plimsoll/runtime/configuration.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/work_timer.hpp>
