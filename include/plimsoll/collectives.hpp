#pragma once

// Umbrella header of plimsoll::collectives: the counts of collective operations in memory and on disk.
#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/launch_examination.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/mpi_callers.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_findings.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/collectives/part_summary.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/pop.hpp>
#include <plimsoll/collectives/processor_use.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/collectives/profiling_options.hpp>
#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/collectives/traffic.hpp>
