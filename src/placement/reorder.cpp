#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "placement/node_exchange.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

constexpr std::uint32_t max_ranks_for_restarts = 64;
constexpr unsigned restarts = 20;

collectives::TrafficMatrix both_ways(const collectives::TrafficMatrix& bytes) {
  collectives::TrafficMatrix weights(bytes.size());
  for (std::uint32_t a = 0; a < bytes.size(); ++a)
    for (std::uint32_t b = 0; b < a; ++b) weights(a, b) = weights(b, a) = bytes(a, b) + bytes(b, a);
  return weights;
}

/// Returns the nodes, with their slots limited to the number of ranks.
std::vector<Node> useful_nodes(std::span<const Node> nodes, std::uint32_t ranks) {
  std::vector<Node> useful(nodes.begin(), nodes.end());
  std::uint64_t slots = 0;
  for (Node& node : useful) {
    node.slots = std::min(node.slots, ranks);
    slots += node.slots;
  }
  if (slots > max_slots)
    throw support::usage_error(
        fmt::format("too many slots to choose from: {} nodes have {} slots for {} ranks", nodes.size(), slots,
                    ranks),
        "specify only the nodes of the job");
  return useful;
}

void check(const collectives::TrafficMatrix& bytes, std::span<const Node> nodes, const Placement& start) {
  if (bytes.size() > Reordering::max_ranks)
    throw support::usage_error(fmt::format("too many ranks to reorder: {}, but at most {} are supported",
                                           bytes.size(), Reordering::max_ranks));
  PLIMSOLL_EXPECT(start.size() == bytes.size());
  std::vector<std::uint32_t> ranks_on(nodes.size());
  for (const std::uint32_t node : start)
    if (node >= nodes.size() || ++ranks_on[node] > nodes[node].slots)
      throw support::usage_error("the initial placement exceeds the slots of some nodes");
}

/// Converts the problem for strategies. Processors are nodes, with speeds equal to their slots. Objects are
/// ranks, followed by the free slots, so that equal times mean exactly full nodes.
balance::LDStats stats_of(const collectives::TrafficMatrix& weights, std::span<const Node> nodes,
                          const Placement& start) {
  balance::LDStats stats;
  std::vector<std::uint32_t> free_slots;
  for (const Node& node : nodes) {
    stats.procs.emplace_back().pe_speed = node.slots;
    free_slots.push_back(node.slots);
  }
  for (const std::uint32_t node : start) {
    stats.from_proc.push_back(static_cast<std::int32_t>(node));
    --free_slots[node];
  }
  for (std::size_t node = 0; node < nodes.size(); ++node)
    stats.from_proc.insert(stats.from_proc.end(), free_slots[node], static_cast<std::int32_t>(node));
  stats.to_proc = stats.from_proc;
  stats.obj_data.assign(stats.from_proc.size(), {.walltime = 1});
  for (std::uint32_t a = 0; a < weights.size(); ++a)
    for (std::uint32_t b = a + 1; b < weights.size(); ++b)
      if (weights(a, b) > 0)
        stats.comm_data.push_back(
            {balance::CommEnd::object(a), balance::CommEnd::object(b), weights(a, b), 1});
  return stats;
}

Placement shuffled(std::span<const Node> nodes, std::uint32_t ranks, unsigned seed) {
  Placement slots;
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    slots.insert(slots.end(), nodes[node].slots, node);
  std::mt19937 random(seed);  // std::shuffle() would give different results with other standard libraries
  for (std::size_t k = slots.size(); k > 1; --k) std::swap(slots[k - 1], slots[random() % k]);
  slots.resize(ranks);
  return slots;
}

/// Returns whether the strategy computed a placement: GraphPartLB needs libraries that Plimsoll may be built
/// without.
bool decide(const char* name, balance::LDStats& stats) {
  try {
    balance::StrategyRegistry::builtin().create(name)->work(stats);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return false;
  }
}

}  // namespace

double inter_node_bytes(const collectives::TrafficMatrix& bytes, std::span<const std::uint32_t> placement) {
  double sum = 0;
  for (std::uint32_t from = 0; from < bytes.size(); ++from) {
    const auto row = bytes.row(from);
    for (std::uint32_t to = 0; to < bytes.size(); ++to)
      if (placement[from] != placement[to]) sum += row[to];
  }
  return sum;
}

Reordering reorder(const collectives::TrafficMatrix& bytes, std::span<const Node> nodes,
                   const Placement& start) {
  check(bytes, nodes, start);
  Reordering result;
  result.placement = start;
  result.before_bytes = result.after_bytes = inter_node_bytes(bytes, start);
  for (std::uint32_t from = 0; from < bytes.size(); ++from)
    for (std::uint32_t to = 0; to < bytes.size(); ++to)
      if (from != to) result.total_bytes += bytes(from, to);
  if (result.before_bytes == 0) return result;

  const collectives::TrafficMatrix weights = both_ways(bytes);
  const std::vector<Node> useful = useful_nodes(nodes, bytes.size());
  const auto consider = [&](Placement proposed, const std::string& by) {
    NodeExchange exchange(weights, useful, std::move(proposed));
    exchange.fit_slots();
    exchange.improve();
    const double between_bytes = inter_node_bytes(bytes, exchange.placement());
    if (between_bytes >= result.after_bytes) return;
    result.placement = exchange.placement();
    result.after_bytes = between_bytes;
    result.found_by = by;
  };
  consider(start, "");
  balance::LDStats stats = stats_of(weights, useful, start);
  for (const char* name : {"GraphPartLB", "RecBipartLB"}) {
    if (!decide(name, stats)) continue;
    consider({stats.to_proc.begin(), stats.to_proc.begin() + bytes.size()}, name);
  }
  if (bytes.size() <= max_ranks_for_restarts)
    for (unsigned seed = 0; seed < restarts; ++seed) consider(shuffled(useful, bytes.size(), seed), "");
  for (std::size_t rank = 0; rank < start.size(); ++rank)
    result.moved += result.placement[rank] != start[rank];
  return result;
}

}  // namespace plimsoll::placement
