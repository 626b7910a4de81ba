#include "balance/strategies/tempered_lb/work_rank.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

LocalIndex::LocalIndex(const WorkRank& rank) : rank_(rank.number) {
  index_.reserve(rank.objects.size());
  for (std::size_t i = 0; i < rank.objects.size(); ++i) index_.emplace(rank.objects[i].number, i);
}

std::size_t LocalIndex::find(std::uint64_t number) const {
  const auto found = index_.find(number);
  return found == index_.end() ? none : found->second;
}

RankWork work_of(const WorkRank& rank, const WorkRules& rules) {
  const WorkCoefficients& coefficients = rules.coefficients;
  double load = 0;
  double sent = 0;
  double received = 0;
  double homing = 0;
  double working = rank.fixed_working_bytes;
  double serialized = rank.fixed_serialized_bytes;
  RankWork result{.memory_bytes = rank.fixed_bytes};
  std::set<std::pair<std::int64_t, std::int64_t>> blocks;
  const auto add_block = [&](const WorkBlock& block) {
    if (!block.exists() || !blocks.insert(block.key()).second) return;
    result.memory_bytes += block.bytes;
    if (block.home != rank.number) homing += block.bytes;
  };
  const LocalIndex index(rank);
  const auto add_edges = [&](std::span<const WorkEdge> edges) {
    for (const WorkEdge& edge : edges) {
      if (index.is_local(edge)) continue;
      const double cost = coefficients.of_byte(rank.node, edge.node);
      sent += edge.sent * cost;
      received += edge.received * cost;
    }
  };
  for (const WorkBlock& block : rank.fixed_blocks) add_block(block);
  add_edges(rank.fixed_edges);
  for (const WorkObject& object : rank.objects) {
    load += object.load;
    result.memory_bytes += object.footprint_bytes;
    working = std::max(working, object.working_bytes);
    serialized = std::max(serialized, object.serialized_bytes);
    add_block(object.block);
    add_edges(object.edges);
  }
  result.traffic = sent + received;
  result.work = rank.alpha * (rank.overhead + load / rank.speed) + std::max(sent, received) +
                coefficients.gamma + coefficients.delta * homing;
  result.memory_bytes += working + (rules.limits.count_serialized ? serialized : 0);
  return result;
}

}  // namespace plimsoll::balance
