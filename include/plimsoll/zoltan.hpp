#pragma once

/// Umbrella header of plimsoll::zoltan: hypergraph partitioning, for programs with MPI.
#include <plimsoll/zoltan/zoltan_lb.hpp>
