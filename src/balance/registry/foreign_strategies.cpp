#include "balance/registry/foreign_strategies.hpp"

#include <strings.h>

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::span<const ForeignStrategy> foreign_strategies() {
  constexpr std::string_view graph = "use GraphPartLB, or the plug-in libZoltanLB.so";
  static constexpr ForeignStrategy table[] = {
      {"GossipLB", "vt", "use RefineLB"},
      {"OfflineLB", "vt", "use PrescribedLB"},
      {"TemperedLB", "vt", "use RefineLB, or ClusterLB for transfer=SwapClusters"},
      {"TemperedWMin", "vt", "use CommAwareRefineLB"},
      {"ZoltanLB", "vt and Charm++", "specify the path of the plug-in libZoltanLB.so, or use GraphPartLB"},
      {"DistributedLB", "Charm++", "use RefineLB"},
      {"HybridLB", "Charm++", "use HierarchicalLB"},
      {"NeighborLB", "Charm++", "use RefineLB"},
      {"RefineKLB", "Charm++", "use RefineLB"},
      {"ScotchTopoLB", "Charm++", "use GraphPartLB"},
      {"TreeLB", "Charm++", "use GreedyLB, GreedyRefineLB or HierarchicalLB"},
      {"BruteForce", "LBAF", "use OptimalLB"},
      {"CentralizedPrefixOptimizer", "LBAF", "use ClusterLB"},
      {"InformAndTransfer", "LBAF",
       "use ClusterLB for transfer_strategy Clustering, or RefineLB for Recursive"},
      {"PhaseStepper", "LBAF", "use 'plimsoll info'"},
      {"GRAPH", "Zoltan", graph},
      {"HSFC", "Zoltan", "use OrbLB"},
      {"HYPERGRAPH", "Zoltan", graph},
      {"RCB", "Zoltan", "use OrbLB"},
      {"RIB", "Zoltan", "use OrbLB"},
  };
  return table;
}

const ForeignStrategy* find_foreign_strategy(std::string_view name) {
  const auto table = foreign_strategies();
  const auto found = std::ranges::find_if(table, [&](const ForeignStrategy& strategy) {
    return strategy.name.size() == name.size() &&
           ::strncasecmp(strategy.name.data(), name.data(), name.size()) == 0;
  });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace plimsoll::balance
