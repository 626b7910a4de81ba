#include <unordered_map>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

double largest(const auto& sizes) {
  return sizes.empty() ? 0 : sizes.begin()->first;
}

void take_one(auto& counts, const auto& key) {
  const auto found = counts.find(key);
  PLIMSOLL_EXPECT(found != counts.end());
  if (--found->second == 0) counts.erase(found);
}

}  // namespace

MemoryUse::MemoryUse(const LDStats& stats, std::span<const std::int32_t> placement, bool count_serialized)
    : stats_(stats), count_serialized_(count_serialized), use_(stats.procs.size()) {
  PLIMSOLL_EXPECT(stats.memory.size() == stats.obj_data.size());
  std::unordered_map<std::int32_t, std::size_t> node_numbers;
  for (std::size_t rank = 0; rank < stats.procs.size(); ++rank) {
    use_[rank].fixed_bytes = stats.procs[rank].rank_working_bytes;
    const std::int32_t node = stats.procs[rank].node;
    std::size_t number = node_bytes_.size();
    if (node >= 0) number = node_numbers.emplace(node, number).first->second;
    if (number == node_bytes_.size()) {
      node_bytes_.push_back(0);
      first_of_node_.push_back(static_cast<std::int32_t>(rank));
    }
    node_of_.push_back(number);
    update(static_cast<std::int32_t>(rank));
  }
  for (std::uint32_t object = 0; object < placement.size(); ++object)
    if (placement[object] >= 0) add(object, placement[object]);
}

double MemoryUse::total(const RankUse& use) const {
  return use.fixed_bytes + use.block_bytes + use.footprint_bytes + largest(use.working) +
         (count_serialized_ ? largest(use.serialized) : 0);
}

void MemoryUse::update(std::int32_t rank) {
  RankUse& use = use_[index(rank)];
  node_bytes_[node_of_[index(rank)]] -= use.bytes;
  use.bytes = total(use);
  node_bytes_[node_of_[index(rank)]] += use.bytes;
}

void MemoryUse::add(std::uint32_t object, std::int32_t rank) {
  const ObjMemory& memory = stats_.memory[object];
  RankUse& use = use_[index(rank)];
  use.footprint_bytes += memory.footprint_bytes;
  ++use.working[memory.working_bytes];
  ++use.serialized[memory.serialized_bytes];
  if (memory.block != ObjMemory::no_block && ++use.blocks[memory.block] == 1) {
    const SharedBlock& block = stats_.blocks[memory.block];
    use.block_bytes += block.bytes;
    if (block.home != rank) use.homing_bytes += block.bytes;
  }
  update(rank);
}

void MemoryUse::remove(std::uint32_t object, std::int32_t rank) {
  const ObjMemory& memory = stats_.memory[object];
  RankUse& use = use_[index(rank)];
  use.footprint_bytes -= memory.footprint_bytes;
  take_one(use.working, memory.working_bytes);
  take_one(use.serialized, memory.serialized_bytes);
  if (memory.block != ObjMemory::no_block) {
    take_one(use.blocks, memory.block);
    if (!use.blocks.contains(memory.block)) {
      const SharedBlock& block = stats_.blocks[memory.block];
      use.block_bytes -= block.bytes;
      if (block.home != rank) use.homing_bytes -= block.bytes;
    }
  }
  update(rank);
}

}  // namespace plimsoll::balance
