#pragma once

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/placement/nodes.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// Improves a placement of ranks on nodes by swapping two ranks or moving ranks to free slots.
class NodeExchange {
 public:
  /// Starts from a placement. `weights` are bytes between ranks, summed over both directions, and must
  /// outlive this object.
  NodeExchange(const collectives::TrafficMatrix& weights, std::span<const Node> nodes, Placement placement);

  /// Moves ranks away from nodes with more ranks than slots. Each step minimises the traffic that it adds
  /// between nodes.
  void fit_slots();
  /// Reduces the traffic between nodes without exceeding their slots. Never increases the traffic.
  void improve();

  const Placement& placement() const { return node_of_; }

 private:
  /// Move of rank `rank` to node `to`. If it has a partner on that node, the partner moves to the previous
  /// node of `rank`.
  struct Step {
    std::uint32_t rank = 0;
    std::uint32_t to = 0;
    std::optional<std::uint32_t> partner;
    double gain = 0;  ///< reduction of the traffic between nodes
  };

  double& connection(std::uint32_t rank, std::uint32_t node) { return connections_[rank * n_nodes_ + node]; }
  bool is_full(std::uint32_t node) const { return ranks_on_[node] >= slots_[node]; }
  double gain_of_move(std::uint32_t rank, std::uint32_t to) {
    return connection(rank, to) - connection(rank, node_of_[rank]);
  }
  double gain_of_exchange(std::uint32_t rank, std::uint32_t partner) {
    return gain_of_move(rank, node_of_[partner]) + gain_of_move(partner, node_of_[rank]) -
           2 * weights_(rank, partner);
  }
  std::optional<Step> best_step_of(std::uint32_t rank, std::uint32_t first_partner,
                                   const std::vector<bool>& locked);
  void move(std::uint32_t rank, std::uint32_t to);
  void apply(const Step& step);
  bool climb();
  bool descend();

  const collectives::TrafficMatrix& weights_;
  std::size_t n_nodes_;
  std::vector<std::uint32_t> slots_;
  Placement node_of_;
  std::vector<std::uint32_t> ranks_on_;
  std::vector<double> connections_;  ///< traffic of each rank with the ranks on each node
};

}  // namespace plimsoll::placement
