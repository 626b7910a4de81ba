#pragma once

/// Umbrella header of plimsoll::mpi: C++ helpers on top of MPI's C interface.
#include <plimsoll/mpi/at_finalize.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/fortran_names.hpp>
#include <plimsoll/mpi/internal/idle_hooks.hpp>
#include <plimsoll/mpi/internal/topology.hpp>
#include <plimsoll/mpi/internal/wrapped_calls.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/nesting.hpp>
#include <plimsoll/mpi/next_definition.hpp>
#include <plimsoll/mpi/preloaded_hooks.hpp>
#include <plimsoll/mpi/preloaded_library.hpp>
#include <plimsoll/mpi/private_world.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/mpi/world_name.hpp>
#include <plimsoll/mpi/wrapper_parameters.hpp>
