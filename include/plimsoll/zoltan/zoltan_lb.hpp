#pragma once

#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::inline v0_1::zoltan {

/// ZoltanLB: cuts the objects by Zoltan's parallel hypergraph partitioner, on the calling process alone
/// (MPI_COMM_SELF). Its parameters have the names of Zoltan and of vt's ZoltanLB. Add it to a registry to use
/// it:
///
///     balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
///     registry.add(zoltan::zoltan_lb());
///
/// If MPI is not initialised, the first use initialises it until the program's end. Calls of several threads
/// at a time are not allowed, since MPI may not be.
balance::StrategyInfo zoltan_lb();

}  // namespace plimsoll::zoltan
