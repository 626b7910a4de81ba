#include "balance/strategies/block_lb/block_lb.hpp"

#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/strategies/block_lb/chain_partition.hpp"
#include "balance/strategies/delegate.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns the migratable objects sorted by position, then by number. Without positions, sorts by number.
/// Objects with equal keys keep their order, and so do all objects if both keys are missing.
std::vector<std::uint32_t> migratable_in_order(const LDStats& stats) {
  std::vector<std::uint32_t> objects;
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable) objects.push_back(object);
  std::ranges::stable_sort(objects, [&](std::uint32_t one, std::uint32_t other) {
    const auto order = std::lexicographical_compare_three_way(
        stats.position(one).begin(), stats.position(one).end(), stats.position(other).begin(),
        stats.position(other).end(), [](double a, double b) { return std::strong_order(a, b); });
    if (order != 0 || stats.numbers.empty()) return order < 0;
    return stats.numbers[one] < stats.numbers[other];
  });
  return objects;
}

}  // namespace

StrategyInfo BlockLB::info() {
  return {"BlockLB",
          "gives each rank a block of consecutive objects of about equal load",
          {},
          make_strategy<BlockLB>,
          {.positions = true, .communication = false}};
}

void BlockLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  const std::vector<std::uint32_t> objects = migratable_in_order(stats);
  std::vector<double> loads;
  loads.reserve(objects.size());
  for (const std::uint32_t object : objects)
    loads.push_back(static_cast<double>(stats.obj_data[object].walltime));
  std::vector<std::int32_t> ranks;
  for (const ProcInfo& proc : procs.procs)
    if (proc.available) ranks.push_back(proc.proc_id);

  std::vector<std::int32_t> blocks = stats.from_proc;
  if (!objects.empty()) {
    const std::vector<std::size_t> ends = partition_chain(loads, procs, ranks);
    std::size_t next = 0;
    for (std::size_t k = 0; k < ranks.size(); ++k)
      for (; next < ends[k]; ++next) blocks[objects[next]] = ranks[k];
  }
  stats.to_proc = std::move(blocks);
  keep_start_unless_better(*this, procs, stats);
}

}  // namespace plimsoll::balance
