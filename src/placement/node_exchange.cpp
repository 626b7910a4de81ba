#include "placement/node_exchange.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

constexpr std::uint32_t max_climbing_ranks = 256;
constexpr int max_passes = 10;

}  // namespace

NodeExchange::NodeExchange(const collectives::TrafficMatrix& weights, std::span<const Node> nodes,
                           Placement placement)
    : weights_(weights),
      n_nodes_(nodes.size()),
      node_of_(std::move(placement)),
      ranks_on_(nodes.size()),
      connections_(std::size_t{weights.size()} * nodes.size()) {
  PLIMSOLL_EXPECT(node_of_.size() == weights.size());
  for (const Node& node : nodes) slots_.push_back(node.slots);
  for (const std::uint32_t node : node_of_) ++ranks_on_[node];
  for (std::uint32_t rank = 0; rank < weights.size(); ++rank)
    for (std::uint32_t other = 0; other < weights.size(); ++other)
      if (other != rank) connection(rank, node_of_[other]) += weights(rank, other);
}

void NodeExchange::move(std::uint32_t rank, std::uint32_t to) {
  const std::uint32_t from = node_of_[rank];
  const auto row = weights_.row(rank);
  for (std::uint32_t other = 0; other < weights_.size(); ++other) {
    if (other == rank || row[other] == 0) continue;
    connection(other, from) -= row[other];
    connection(other, to) += row[other];
  }
  --ranks_on_[from];
  ++ranks_on_[to];
  node_of_[rank] = to;
}

void NodeExchange::apply(const Step& step) {
  const std::uint32_t from = node_of_[step.rank];
  move(step.rank, step.to);
  if (step.partner) move(*step.partner, from);
}

void NodeExchange::fit_slots() {
  for (std::uint32_t node = 0; node < n_nodes_; ++node)
    while (ranks_on_[node] > slots_[node]) {
      std::optional<Step> best;
      for (std::uint32_t rank = 0; rank < weights_.size(); ++rank) {
        if (node_of_[rank] != node) continue;
        for (std::uint32_t to = 0; to < n_nodes_; ++to) {
          if (is_full(to)) continue;
          const double gain = gain_of_move(rank, to);
          if (!best || gain > best->gain) best = {rank, to, std::nullopt, gain};
        }
      }
      apply(*best);
    }
}

/// Returns the best step of `rank`: a move to a free slot, or a swap with `first_partner` or a higher rank.
std::optional<NodeExchange::Step> NodeExchange::best_step_of(std::uint32_t rank, std::uint32_t first_partner,
                                                             const std::vector<bool>& locked) {
  std::optional<Step> best;
  for (std::uint32_t to = 0; to < n_nodes_; ++to) {
    if (to == node_of_[rank] || is_full(to)) continue;
    const double gain = gain_of_move(rank, to);
    if (!best || gain > best->gain) best = {rank, to, std::nullopt, gain};
  }
  for (std::uint32_t partner = first_partner; partner < weights_.size(); ++partner) {
    if (locked[partner] || node_of_[partner] == node_of_[rank]) continue;
    const double gain = gain_of_exchange(rank, partner);
    if (!best || gain > best->gain) best = {rank, node_of_[partner], partner, gain};
  }
  return best;
}

/// Performs one pass of the Kernighan-Lin algorithm. It repeats the best step among the ranks that have not
/// moved in this pass, even if the step increases the traffic. When every rank has moved, it returns to the
/// best intermediate state.
bool NodeExchange::climb() {
  std::vector<bool> locked(weights_.size());
  Placement best_placement = node_of_;
  double gain = 0;
  double best_gain = 0;
  for (;;) {
    std::optional<Step> best;
    for (std::uint32_t rank = 0; rank < weights_.size(); ++rank) {
      if (locked[rank]) continue;
      const std::optional<Step> step = best_step_of(rank, rank + 1, locked);
      if (step && (!best || step->gain > best->gain)) best = step;
    }
    if (!best) break;
    apply(*best);
    locked[best->rank] = true;
    if (best->partner) locked[*best->partner] = true;
    gain += best->gain;
    if (gain > best_gain) {
      best_gain = gain;
      best_placement = node_of_;
    }
  }
  for (std::uint32_t rank = 0; rank < weights_.size(); ++rank)
    if (node_of_[rank] != best_placement[rank]) move(rank, best_placement[rank]);
  return best_gain > 0;
}

/// Performs one pass in which each rank makes its best step, if that reduces the traffic.
bool NodeExchange::descend() {
  const std::vector<bool> locked(weights_.size());
  bool improved = false;
  for (std::uint32_t rank = 0; rank < weights_.size(); ++rank) {
    const std::optional<Step> step = best_step_of(rank, 0, locked);
    if (!step || step->gain <= 0) continue;
    apply(*step);
    improved = true;
  }
  return improved;
}

void NodeExchange::improve() {
  for (int pass = 0; pass < max_passes; ++pass)
    if (!(weights_.size() <= max_climbing_ranks ? climb() : descend())) return;
}

}  // namespace plimsoll::placement
