#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "balance/search/chain_partition.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"

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
        stats.position(other).end(), [](double a, double b) { return std::weak_order(a, b); });
    if (order != 0 || stats.numbers.empty()) return order < 0;
    return stats.numbers[one] < stats.numbers[other];
  });
  return objects;
}

/// Gives each rank in turn a block of consecutive objects, sorted by position, or by number without
/// positions. The blocks minimise the maximum finish time, and are as even as possible within that.
/// Non-migratable objects stay in place, as background load. Keeps the initial placement if it is as good.
/// One thread; O(objects log objects + ranks log objects). Source: A. Pinar, C. Aykanat, "Fast optimal load
/// balancing algorithms for 1D partitioning", 2004 (bisection with a probe). The idea of BlockLB is from
/// Charm++ 6.10, which counts objects only.
class BlockLB : public Strategy {
 public:
  explicit BlockLB(const Parameters& parameters) : Strategy("BlockLB", parameters) {}
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    const std::vector<std::uint32_t> objects = migratable_in_order(stats);
    std::vector<double> loads;
    loads.reserve(objects.size());
    for (const std::uint32_t object : objects) loads.push_back(stats.load_s(object));
    const std::vector<std::int32_t> ranks = available_ranks(stats);
    std::vector<std::int32_t> blocks = stats.from_proc;
    if (!objects.empty()) {
      const std::vector<std::size_t> ends = partition_chain({.loads = loads}, procs, ranks);
      std::size_t next = 0;
      for (std::size_t k = 0; k < ranks.size(); ++k)
        for (; next < ends[k]; ++next) blocks[objects[next]] = ranks[k];
    }
    stats.to_proc = std::move(blocks);
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }
};

}  // namespace

StrategyInfo block_lb_info() {
  return {.name = "BlockLB",
          .help = "gives each rank a block of consecutive objects of about equal load",
          .make = make_strategy<BlockLB>,
          .needs = {.positions = true, .communication = false},
          .keeps_shape = true};
}

}  // namespace plimsoll::balance
