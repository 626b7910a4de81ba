#include "balance/strategies/tempered_lb/work_ranks.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

WorkBlock block_of(const LocalRank& rank, const ObjMemory& memory) {
  if (memory.block == ObjMemory::no_block) return {};
  const LocalBlock& block = rank.blocks[memory.block];
  return {.id = block.id, .home = block.home, .bytes = block.bytes};
}

WorkRank without_edges(std::int32_t number, const LocalRank& local, const WorkGoal& goal) {
  WorkRank rank{.number = number,
                .node = local.node,
                .overhead = local.overhead,
                .speed = local.speed,
                .alpha = goal.coefficients.alpha * (goal.weigh_ranks ? local.alpha : 1),
                .available = local.available,
                .fixed_bytes = local.working_bytes};
  for (const ObjMemory& memory : local.staying_memory) {
    rank.fixed_bytes += memory.footprint_bytes;
    rank.fixed_working_bytes = std::max(rank.fixed_working_bytes, memory.working_bytes);
    rank.fixed_serialized_bytes = std::max(rank.fixed_serialized_bytes, memory.serialized_bytes);
    if (const WorkBlock block = block_of(local, memory); block.exists()) rank.fixed_blocks.push_back(block);
  }
  rank.objects.reserve(local.objects.size());
  for (std::uint32_t position = 0; position < local.objects.size(); ++position) {
    const LocalObject& object = local.objects[position];
    rank.objects.push_back(
        {.number = object.number, .origin = number, .position = position, .load = object.load});
    if (local.memory.empty()) continue;
    const ObjMemory& memory = local.memory[position];
    WorkObject& added = rank.objects.back();
    added.footprint_bytes = memory.footprint_bytes;
    added.working_bytes = memory.working_bytes;
    added.serialized_bytes = memory.serialized_bytes;
    added.block = block_of(local, memory);
  }
  return rank;
}

/// Adds the edges of the objects of a rank. Sends the other end of an edge to a rank, if it stays there.
void add_edges(const LocalRank& local, WorkRank& rank, Outbox& outbox) {
  std::map<std::int32_t, std::vector<WorkEdge>> to_fixed;
  for (const LocalEdge& edge : local.edges) {
    if (edge.sent_bytes == 0 && edge.received_bytes == 0) continue;
    WorkObject& object = rank.objects[edge.object];
    object.edges.push_back({.other = edge.neighbor,
                            .origin = edge.rank,
                            .rank = edge.rank,
                            .is_fixed = edge.stays ? 1 : 0,
                            .sent = edge.sent_bytes,
                            .received = edge.received_bytes});
    if (edge.stays)
      to_fixed[edge.rank].push_back({.other = object.number,
                                     .origin = rank.number,
                                     .rank = rank.number,
                                     .sent = edge.received_bytes,
                                     .received = edge.sent_bytes});
  }
  for (const StayingTraffic& traffic : local.staying_traffic) {
    const WorkEdge edge{.origin = traffic.rank,
                        .rank = traffic.rank,
                        .is_fixed = 1,
                        .sent = traffic.sent_bytes,
                        .received = traffic.received_bytes};
    rank.fixed_edges.push_back(edge);
    to_fixed[traffic.rank].push_back({.origin = rank.number,
                                      .rank = rank.number,
                                      .is_fixed = 1,
                                      .sent = traffic.received_bytes,
                                      .received = traffic.sent_bytes});
  }
  for (const auto& [receiver, edges] : to_fixed) outbox.send(receiver, std::span<const WorkEdge>(edges));
}

}  // namespace

std::vector<WorkRank> work_ranks_of(RankRounds& rounds, std::span<const LocalRank> ranks,
                                    const WorkGoal& goal) {
  std::vector<WorkRank> result(ranks.size());
  rounds.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    result[at(local)] = without_edges(rounds.first_local_rank() + local, ranks[at(local)], goal);
    if (goal.coefficients.weigh_traffic()) add_edges(ranks[at(local)], result[at(local)], outbox);
  });
  rounds.run([&](std::int32_t local, Inbox received, Outbox&) {
    std::vector<WorkEdge>& edges = result[at(local)].fixed_edges;
    for (const RoundMessage& message : received) {
      const std::span<const WorkEdge> sent = message.items<WorkEdge>();
      edges.insert(edges.end(), sent.begin(), sent.end());
    }
  });
  return result;
}

}  // namespace plimsoll::balance
