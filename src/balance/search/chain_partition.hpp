#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Objects in the order in which ranks get parts of the chain.
struct ObjectChain {
  std::span<const double> loads;           ///< loads in seconds at speed 1
  std::span<const double> bytes = {};      ///< memory of each object; empty without limits
  std::span<const double> max_bytes = {};  ///< maximum memory of the objects on each of the ranks
  /// Shared block of each object, or ObjMemory::no_block; empty without limits or blocks. A rank needs a
  /// block once.
  std::span<const std::uint32_t> blocks = {};
  std::span<const double> block_bytes = {};  ///< memory of each block
};

/// Splits a chain of objects into one part per rank of `ranks`, in order. The parts minimise the maximum
/// finish time, within the limits on bytes. Within that, every cut is as near as possible to its position for
/// divisible loads. Returns the end of each rank's part; empty if parts within the limits do not exist.
/// Cost: O(loads + ranks log loads); with blocks about 60 times O(loads). Source: A. Pinar, C. Aykanat, "Fast
/// optimal load balancing algorithms for 1D partitioning", 2004 (bisection with a probe).
std::vector<std::size_t> partition_chain(const ObjectChain& objects, const ProcArray& procs,
                                         std::span<const std::int32_t> ranks);

}  // namespace plimsoll::balance
