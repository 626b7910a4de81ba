#pragma once

/// Umbrella header of plimsoll::mpi: C++ helpers on top of MPI's C interface.
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
