#include <algorithm>
#include <optional>

#include <plimsoll/placement/order_by_work.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

struct NodeWork {
  double sum = 0;
  double ranks = 0;
  double mean() const { return ranks > 0 ? sum / ranks : 0; }
};

/// Ranks on nodes, and the work of each node.
class WorkOfNodes {
 public:
  WorkOfNodes(std::span<const double> work, const Placement& start) : work_(work), node_of_(start) {
    for (std::uint32_t rank = 0; rank < start.size(); ++rank) {
      if (start[rank] >= nodes_.size()) nodes_.resize(start[rank] + 1);
      nodes_[start[rank]].sum += work[rank];
      ++nodes_[start[rank]].ranks;
    }
  }

  double max_mean() const { return nodes_[busiest()].mean(); }

  /// Returns the swap after which the maximum of the node with the most work per rank and another one is
  /// smallest, if this maximum is at least `min_gain` smaller than before.
  std::optional<Swap> best_swap(double min_gain) const {
    const std::uint32_t from = busiest();
    double least = nodes_[from].mean() - min_gain;
    std::optional<Swap> best;
    for (std::uint32_t leaving = 0; leaving < work_.size(); ++leaving) {
      if (node_of_[leaving] != from) continue;
      for (std::uint32_t coming = 0; coming < work_.size(); ++coming) {
        const NodeWork& to = nodes_[node_of_[coming]];
        const double moved = work_[leaving] - work_[coming];
        if (node_of_[coming] == from || moved <= 0) continue;
        const double left =
            std::max((nodes_[from].sum - moved) / nodes_[from].ranks, (to.sum + moved) / to.ranks);
        if (left < least) least = left, best = std::minmax({leaving, coming});
      }
    }
    return best;
  }

  void swap(const Swap& ranks) {
    const auto [one, other] = ranks;
    const double moved = work_[one] - work_[other];
    nodes_[node_of_[one]].sum -= moved;
    nodes_[node_of_[other]].sum += moved;
    std::swap(node_of_[one], node_of_[other]);
  }

 private:
  std::uint32_t busiest() const {
    return static_cast<std::uint32_t>(std::ranges::max_element(nodes_, {}, &NodeWork::mean) - nodes_.begin());
  }

  std::span<const double> work_;
  Placement node_of_;
  std::vector<NodeWork> nodes_;
};

}  // namespace

OrderByWork order_by_work(std::span<const double> work, const Placement& start) {
  constexpr double min_gain = 0.005;  // of the mean work
  PLIMSOLL_EXPECT(work.size() == start.size());
  OrderByWork order;
  if (work.empty()) return order;
  for (const double rank_work : work) order.mean += rank_work / static_cast<double>(work.size());
  WorkOfNodes nodes(work, start);
  order.before_max = nodes.max_mean();
  while (const auto swap = nodes.best_swap(min_gain * order.mean)) {
    nodes.swap(*swap);
    order.swaps.push_back(*swap);
  }
  order.after_max = nodes.max_mean();
  return order;
}

}  // namespace plimsoll::PLIMSOLL_ABI::placement
