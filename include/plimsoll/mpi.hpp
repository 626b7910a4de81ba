#pragma once

/// Umbrella header of plimsoll::mpi: C++ helpers on top of MPI's C interface.
#include <plimsoll/mpi/at_finalize.hpp>
#include <plimsoll/mpi/backoff.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/mpi/fortran_names.hpp>
#include <plimsoll/mpi/gather.hpp>
#include <plimsoll/mpi/host.hpp>
#include <plimsoll/mpi/idle_hooks.hpp>
#include <plimsoll/mpi/large_message.hpp>
#include <plimsoll/mpi/nesting.hpp>
#include <plimsoll/mpi/next_definition.hpp>
#include <plimsoll/mpi/node_place.hpp>
#include <plimsoll/mpi/packing.hpp>
#include <plimsoll/mpi/preloaded_hooks.hpp>
#include <plimsoll/mpi/preloaded_library.hpp>
#include <plimsoll/mpi/private_world.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/mpi/topology.hpp>
#include <plimsoll/mpi/world_name.hpp>
#include <plimsoll/mpi/wrapped_calls.hpp>
#include <plimsoll/mpi/wrapper_parameters.hpp>
