#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include <plimsoll/balance/place_by_partition.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Options for partitioning a graph with a library.
struct PartitionOptions {
  bool recursive = true;     ///< whether to bisect recursively; else partition into all parts at once
  double tolerance = 1.005;  ///< target maximum weight of a part relative to its share
  std::int64_t seed = 1;
  std::int32_t n_cuts = 1;  ///< METIS only: number of cuts per piece, of which the best is used
};

/// Integers of a graph in the type of a partitioner's library. Copies them only if that type is wider.
template <class Index>
class Indices {
 public:
  explicit Indices(const std::vector<std::int32_t>& values) : values_(values) {
    if constexpr (!is_same) own_.assign(values.begin(), values.end());
  }
  /// Returns the first element. Libraries only read the array, also if their interface lacks const.
  Index* data() {
    if constexpr (is_same)
      return const_cast<Index*>(values_.data());
    else
      return own_.data();
  }

 private:
  static constexpr bool is_same = std::is_same_v<Index, std::int32_t>;
  const std::vector<std::int32_t>& values_;
  std::vector<Index> own_;
};

/// Partitions with METIS (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning
/// irregular graphs", 1998), in any number of dimensions. A graph with few or heavy vertices is always
/// bisected. Throws Error (usage) if Plimsoll was built without METIS, and Error (system) if METIS cannot be
/// loaded or fails, e.g. due to lack of memory.
Partition partition_with_metis(const PartitionGraph& graph, const PartShares& shares,
                               const PartitionOptions& options);

/// Partitions with Scotch (Pellegrini and Roman, "SCOTCH: a software package for static mapping by dual
/// recursive bipartitioning of process and architecture graphs", 1996), in one dimension, with one thread.
/// Throws Error (usage) if Plimsoll was built without Scotch or the graph has several dimensions. Throws
/// Error (system) if Scotch cannot be loaded or fails; its message appears on stderr.
Partition partition_with_scotch(const PartitionGraph& graph, const PartShares& shares,
                                const PartitionOptions& options);

/// Function that partitions a graph of 2 or more vertices into parts 0 and 1 with the given shares.
using Bisector = std::function<Partition(const PartitionGraph&, const PartShares&)>;

/// Partitions a graph by recursive bisection. It handles pieces without vertices itself, because partitioners
/// reject them. Cost: O((vertices + edges) log parts), plus the cost of the bisector.
Partition partition_by_bisection(PartitionGraph graph, const PartShares& shares, const Bisector& bisect);

}  // namespace plimsoll::balance
