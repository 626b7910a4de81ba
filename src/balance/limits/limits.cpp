#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/limits/move_selection.hpp"
#include "balance/search/loads.hpp"

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
  RankUse& use = use_[at(rank)];
  node_bytes_[node_of_[at(rank)]] -= use.bytes;
  use.bytes = total(use);
  node_bytes_[node_of_[at(rank)]] += use.bytes;
}

void MemoryUse::add(std::uint32_t object, std::int32_t rank) {
  const ObjMemory& memory = stats_.memory[object];
  RankUse& use = use_[at(rank)];
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
  RankUse& use = use_[at(rank)];
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

namespace {

double limit_of(const Parameters& parameters, const std::string& name) {
  const auto value = parameters.get<double>(name);
  if (value == -1) return Limits::unlimited;
  if (value < 0)
    throw support::usage_error(fmt::format("invalid value {} for {}: must be >= 0", value, name),
                               "use -1 for no limit");
  return value;
}

Error unknown_sizes(const char* limit, const char* members) {
  return support::usage_error(
      fmt::format("cannot apply {}: no object has a size in the data", limit),
      fmt::format("remove the limit, or use data whose tasks have {} in user_defined; in a running program, "
                  "specify these with set_value(), or pass sizes_bytes with the objects to plan",
                  members));
}

bool has_memory_sizes(const LDStats& stats, bool count_serialized) {
  return std::ranges::any_of(stats.memory,
                             [&](const ObjMemory& object) {
                               return object.footprint_bytes > 0 || object.working_bytes > 0 ||
                                      (count_serialized && object.serialized_bytes > 0);
                             }) ||
         std::ranges::any_of(stats.blocks, [](const SharedBlock& block) { return block.bytes > 0; }) ||
         std::ranges::any_of(stats.procs, [](const ProcStats& proc) { return proc.rank_working_bytes > 0; });
}

}  // namespace

Limits::Limits(const Parameters& parameters)
    : max_moved_bytes(limit_of(parameters, "max_moved_bytes")),
      max_memory_bytes(limit_of(parameters, "max_memory_bytes")),
      max_node_memory_bytes(limit_of(parameters, "max_node_memory_bytes")),
      count_serialized(parameters.get<bool>("count_serialized")) {
  const auto moves = parameters.get<std::int64_t>("max_moves");
  if (moves < -1)
    throw support::usage_error(fmt::format("invalid value {} for max_moves: must be >= 0", moves),
                               "use -1 for no limit");
  if (moves >= 0) max_moves = moves;
}

const std::vector<ParameterSpec>& Limits::parameters() {
  static const std::vector<ParameterSpec> parameters = {
      {"max_moves", std::int64_t{-1}, "maximum number of objects to migrate (-1: no limit)"},
      {"max_moved_bytes", -1.0, "maximum bytes of objects to migrate (-1: no limit)"},
      {"max_memory_bytes", -1.0, "maximum memory per rank in bytes (-1: no limit)", {"memory_threshold"}},
      {"max_node_memory_bytes", -1.0, "maximum memory per node in bytes (-1: no limit)"},
      {"count_serialized", false, "whether to count the largest serialised object of each rank as memory"}};
  return parameters;
}

double Limits::memory_excess(const MemoryUse& use, std::int32_t n_ranks) const {
  double excess = 0;
  for (std::int32_t rank = 0; rank < n_ranks; ++rank) {
    if (use.of_rank(rank) > max_memory_bytes * (1 + rounding_error))
      excess += use.of_rank(rank) - max_memory_bytes;
    if (max_node_memory_bytes != unlimited &&
        use.of_node(rank) > max_node_memory_bytes * (1 + rounding_error) && use.is_first_of_node(rank))
      excess += use.of_node(rank) - max_node_memory_bytes;
  }
  return excess;
}

MemoryAllowance::MemoryAllowance(const Limits& limits, const MemoryUse& before, std::int32_t n_ranks) {
  for (std::int32_t rank = 0; rank < n_ranks; ++rank) {
    of_rank_.push_back(std::max(limits.max_memory_bytes * (1 + rounding_error), before.of_rank(rank)));
    of_node_.push_back(std::max(limits.max_node_memory_bytes * (1 + rounding_error), before.of_node(rank)));
  }
}

void require_sizes(const Limits& limits, const LDStats& stats) {
  if (stats.obj_data.empty()) return;
  if (limits.max_moved_bytes != Limits::unlimited &&
      std::ranges::none_of(stats.memory,
                           [](const ObjMemory& object) { return object.migration_bytes() > 0; }))
    throw unknown_sizes("max_moved_bytes", "task_serialized_bytes or task_footprint_bytes");
  if (limits.limit_memory() && !has_memory_sizes(stats, limits.count_serialized))
    throw unknown_sizes(
        limits.max_memory_bytes != Limits::unlimited ? "max_memory_bytes" : "max_node_memory_bytes",
        "task_footprint_bytes, task_working_bytes, shared_bytes or rank_working_bytes");
}

bool within(const Limits& limits, const LDStats& stats, std::span<const std::int32_t> placement) {
  std::int64_t moves = 0;
  double bytes = 0;
  for (std::size_t object = 0; object < placement.size(); ++object) {
    if (placement[object] == stats.from_proc[object]) continue;
    ++moves;
    bytes += stats.migration_bytes(object);
  }
  if (moves > limits.max_moves || bytes > limits.max_moved_bytes * (1 + rounding_error)) return false;
  return within_memory(limits, stats, placement);
}

bool within_memory(const Limits& limits, const LDStats& stats, std::span<const std::int32_t> placement) {
  if (!limits.limit_memory() || stats.memory.empty()) return true;
  const MemoryUse before(stats, stats.from_proc, limits.count_serialized);
  const MemoryAllowance allowed(limits, before, stats.count());
  const MemoryUse after(stats, placement, limits.count_serialized);
  for (std::int32_t rank = 0; rank < stats.count(); ++rank)
    if (!allowed.fits(after, rank)) return false;
  return true;
}

std::vector<std::int32_t> apply_limits(const Limits& limits, const LDStats& stats,
                                       std::span<const std::int32_t> to_proc) {
  std::vector<std::int32_t> placement(to_proc.begin(), to_proc.end());
  if (within(limits, stats, to_proc)) return placement;
  return best_part_within(limits, stats, ScoreFunction(ScoreTerms::of_load(true)), 0, placement);
}

}  // namespace plimsoll::balance
