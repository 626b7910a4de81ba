#include "balance/search/block_space.hpp"

#include <algorithm>
#include <limits>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

std::vector<BlockHost> block_hosts(const LDStats& stats, const WorkGoal& goal, const ObjectBytes& of_object) {
  const std::vector<std::int32_t> fixed = non_migratable_only(stats);
  const WorkState state(stats, goal, fixed);
  std::vector<BlockHost> hosts;
  for (const std::int32_t rank : available_ranks(stats))
    hosts.push_back({.rank = rank, .base = state.work(rank), .slope = state.slope(rank)});
  if (stats.memory.empty()) return hosts;

  std::vector<ObjectBytes> of_fixed(stats.procs.size());
  for (std::size_t object = 0; object < fixed.size(); ++object) {
    if (fixed[object] == WorkState::nowhere) continue;
    ObjectBytes& maximum = of_fixed[at(fixed[object])];
    maximum.working = std::max(maximum.working, stats.memory[object].working_bytes);
    maximum.serialized = std::max(maximum.serialized, stats.memory[object].serialized_bytes);
  }
  const bool serialized = goal.limits.count_serialized;
  const MemoryUse before(stats, stats.from_proc, serialized);
  const MemoryAllowance allowed(goal.limits, before, stats.count());
  const auto any = std::numeric_limits<std::size_t>::max();
  const std::size_t max_blocks = goal.max_blocks < 0 ? any : static_cast<std::size_t>(goal.max_blocks);

  for (BlockHost& host : hosts) {
    const ObjectBytes& own = of_fixed[at(host.rank)];
    const double used = state.memory()->of_rank(host.rank) + std::max(0.0, of_object.working - own.working) +
                        (serialized ? std::max(0.0, of_object.serialized - own.serialized) : 0);
    host.bytes = std::max(0.0, allowed.of_rank(host.rank) - used);
    const std::size_t blocks = std::max(max_blocks, before.n_blocks(host.rank));
    host.max_blocks = blocks - std::min(blocks, state.memory()->n_blocks(host.rank));
  }
  return hosts;
}

std::vector<std::vector<std::uint32_t>> migratable_by_block(const LDStats& stats) {
  std::vector<std::vector<std::uint32_t>> objects(stats.blocks.size());
  for (std::uint32_t object = 0; object < stats.memory.size(); ++object)
    if (stats.obj_data[object].migratable && stats.memory[object].block != ObjMemory::no_block)
      objects[stats.memory[object].block].push_back(object);
  return objects;
}

}  // namespace plimsoll::balance
