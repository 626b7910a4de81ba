#pragma once

// Umbrella header of plimsoll::collectives: the counts of collective operations in memory and on disk.
#include <plimsoll/collectives/call_places.hpp>
#include <plimsoll/collectives/call_window.hpp>
#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/collectives/consistency.hpp>
#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/integer_span.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/collectives/operation.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/collectives/rank_log.hpp>
#include <plimsoll/collectives/recorder.hpp>
#include <plimsoll/collectives/select.hpp>
#include <plimsoll/collectives/spread.hpp>
#include <plimsoll/collectives/structure.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>
#include <plimsoll/collectives/traffic_view.hpp>
