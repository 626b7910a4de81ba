#include <unordered_map>

#include <plimsoll/balance/memory_use.hpp>

namespace plimsoll::balance {

namespace {

double largest(const auto& sizes) {
  return sizes.empty() ? 0 : sizes.begin()->first;
}

void take_one(auto& counts, const auto& key) {
  const auto found = counts.find(key);
  if (--found->second == 0) counts.erase(found);
}

}  // namespace

MemoryUse::MemoryUse(const LDStats& stats, std::span<const std::int32_t> placement, bool count_serialized)
    : stats_(stats), count_serialized_(count_serialized), use_(stats.procs.size()) {
  std::unordered_map<std::int32_t, std::size_t> node_numbers;
  for (std::size_t rank = 0; rank < stats.procs.size(); ++rank) {
    use_[rank].fixed_bytes = stats.procs[rank].rank_working_bytes;
    const std::int32_t node = stats.procs[rank].node;
    std::size_t number = node_mates_.size();
    if (node >= 0) number = node_numbers.emplace(node, number).first->second;
    if (number == node_mates_.size()) node_mates_.emplace_back();
    node_mates_[number].push_back(static_cast<std::int32_t>(rank));
    node_of_.push_back(number);
  }
  for (std::uint32_t object = 0; object < placement.size(); ++object)
    if (placement[object] >= 0) add(object, placement[object]);
}

double MemoryUse::of_rank(std::int32_t rank) const {
  const RankUse& use = use_[index(rank)];
  return use.fixed_bytes + use.block_bytes + use.footprint_bytes + largest(use.working) +
         (count_serialized_ ? largest(use.serialized) : 0);
}

double MemoryUse::of_node(std::int32_t rank) const {
  double bytes = 0;
  for (const std::int32_t mate : node_mates_[node_of_[index(rank)]]) bytes += of_rank(mate);
  return bytes;
}

void MemoryUse::add(std::uint32_t object, std::int32_t rank) {
  const ObjMemory& memory = stats_.memory[object];
  RankUse& use = use_[index(rank)];
  use.footprint_bytes += memory.footprint_bytes;
  ++use.working[memory.working_bytes];
  ++use.serialized[memory.serialized_bytes];
  if (memory.block == ObjMemory::no_block || ++use.blocks[memory.block] > 1) return;
  const SharedBlock& block = stats_.blocks[memory.block];
  use.block_bytes += block.bytes;
  if (block.home != rank) use.homing_bytes += block.bytes;
}

void MemoryUse::remove(std::uint32_t object, std::int32_t rank) {
  const ObjMemory& memory = stats_.memory[object];
  RankUse& use = use_[index(rank)];
  use.footprint_bytes -= memory.footprint_bytes;
  take_one(use.working, memory.working_bytes);
  take_one(use.serialized, memory.serialized_bytes);
  if (memory.block == ObjMemory::no_block) return;
  take_one(use.blocks, memory.block);
  if (use.blocks.contains(memory.block)) return;
  const SharedBlock& block = stats_.blocks[memory.block];
  use.block_bytes -= block.bytes;
  if (block.home != rank) use.homing_bytes -= block.bytes;
}

}  // namespace plimsoll::balance
