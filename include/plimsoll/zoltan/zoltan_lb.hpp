#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::zoltan {

/// Returns ZoltanLB, which partitions the objects with Zoltan's parallel hypergraph partitioner on the
/// calling process alone (MPI_COMM_SELF). Its parameters have the names of Zoltan and of vt's ZoltanLB. Add
/// it to a registry to use it:
///
///     balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
///     registry.add(zoltan::zoltan_lb());
///
/// If MPI is not initialised, the first use initialises it until the end of the program. Concurrent calls by
/// several threads are not allowed, because MPI may not support them.
balance::StrategyInfo zoltan_lb();

}  // namespace plimsoll::zoltan
