#pragma once

/// The module zoltan: hypergraph partitioning, for programs with MPI.
#include <plimsoll/zoltan/zoltan_lb.hpp>
