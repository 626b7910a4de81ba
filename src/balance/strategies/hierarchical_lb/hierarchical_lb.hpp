#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Ranks of each node.
struct Nodes {
  std::vector<std::vector<std::int32_t>>
      ranks;                          ///< ranks per node, ascending; nodes sorted by their first rank
  std::vector<std::int32_t> node_of;  ///< node of each rank
};

/// Groups the ranks by ProcStats::node; ranks whose node is unknown are separate nodes.
Nodes nodes_of(const LDStats& stats);

/// Function that sorts the objects of one node into the order in which they leave it.
using LeavingOrder = std::function<void(std::vector<LoadedObject>&)>;

/// Returns the node of each object after balancing whole nodes; non-migratable objects stay. A node counts as
/// one processor with the total speed of its available ranks. Nodes that finish later than `keep` times the
/// average give objects away until they finish by then. They give away objects in `order`, except objects
/// heavier than the remaining excess, and finally the lightest object that is sufficient. These objects go,
/// heaviest first, to the nodes that finish them first. If nodes then finish later than `allowed` times the
/// average, the result of RefineLB is used if it is better. The stats must have an available rank. Ignores
/// more_loads.
std::vector<std::int32_t> place_on_nodes(const LDStats& stats, const Nodes& nodes, double keep,
                                         double allowed, const LeavingOrder& order);

/// Balances the nodes against each other, then the ranks within each node, so that few bytes migrate between
/// nodes. If bytes are known, objects with the most load per byte leave first. The target maximum load is
/// `max` times the average. Nodes get half of that allowance, and RefineSwapLB balances within the nodes.
/// Balances walltime. One thread; O(n log n). Source: idea, names and parameter values from HierarchicalLB in
/// vt 1.6. Its tree of ranks does not represent nodes, and is not used here.
class HierarchicalLB : public Strategy {
 public:
  static StrategyInfo info();
  explicit HierarchicalLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return balance_score(stats, placement);
  }

 private:
  double min_;
  double max_;
  bool auto_;
  std::string order_;
};

}  // namespace plimsoll::balance
