#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Chain of objects, with queries for the part that each rank finishes in a given time.
class Chain {
 public:
  Chain(std::span<const double> loads, const ProcArray& procs, std::span<const std::int32_t> ranks)
      : procs_(procs), ranks_(ranks), sum_before_{0} {
    for (const double load : loads) sum_before_.push_back(sum_before_.back() + load);
  }

  std::size_t n_ranks() const { return ranks_.size(); }
  std::size_t size() const { return sum_before_.size() - 1; }
  double load() const { return sum_before_.back(); }

  /// Returns the end of the longest block from `begin` that the k-th rank finishes by `time_s`.
  std::size_t reach(std::size_t k, std::size_t begin, double time_s) const {
    const double up_to = sum_before_[begin] + capacity(k, time_s);
    const auto beyond =
        std::upper_bound(sum_before_.begin() + static_cast<std::ptrdiff_t>(begin), sum_before_.end(), up_to);
    return std::max(begin, static_cast<std::size_t>(beyond - sum_before_.begin() - 1));
  }
  /// Returns the start of the longest block up to `end` that the k-th rank finishes by `time_s`.
  std::size_t reach_back(std::size_t k, std::size_t end, double time_s) const {
    const double from = sum_before_[end] - capacity(k, time_s);
    const auto first =
        std::lower_bound(sum_before_.begin(), sum_before_.begin() + static_cast<std::ptrdiff_t>(end), from);
    return static_cast<std::size_t>(first - sum_before_.begin());
  }
  bool feasible(double time_s) const {
    std::size_t end = 0;
    for (std::size_t k = 0; k < n_ranks() && end < size(); ++k) end = reach(k, end, time_s);
    return end == size();
  }
  /// Returns the cut whose preceding loads have the sum nearest to `load`.
  std::size_t nearest_cut(double load) const {
    const auto at = std::ranges::lower_bound(sum_before_, load);
    if (at == sum_before_.end()) return size();
    if (at != sum_before_.begin() && load - *(at - 1) <= *at - load)
      return static_cast<std::size_t>(at - sum_before_.begin() - 1);
    return static_cast<std::size_t>(at - sum_before_.begin());
  }
  const ProcInfo& proc(std::size_t k) const { return procs_.procs[static_cast<std::size_t>(ranks_[k])]; }

 private:
  double capacity(std::size_t k, double time_s) const {
    return std::max(0.0, time_s - proc(k).overhead) * proc(k).pe_speed;
  }

  const ProcArray& procs_;
  std::span<const std::int32_t> ranks_;
  std::vector<double> sum_before_;
};

double minimum_time(const Chain& chain) {
  double too_short = 0;
  double enough = 0;
  for (std::size_t k = 0; k < chain.n_ranks(); ++k) {
    const double alone_s = chain.proc(k).overhead + chain.load() / chain.proc(k).pe_speed;
    enough = k == 0 ? alone_s : std::min(enough, alone_s);
  }
  // Increase the time until the first rank certainly reaches the end, despite rounding.
  while (!chain.feasible(enough)) enough = std::nextafter(2 * enough, enough);
  if (chain.feasible(too_short)) return too_short;
  for (;;) {
    const double middle = too_short + (enough - too_short) / 2;
    if (middle <= too_short || middle >= enough) return enough;
    (chain.feasible(middle) ? enough : too_short) = middle;
  }
}

/// Splits a chain of objects with the given loads (seconds at speed 1) into one block per rank of `ranks`, in
/// order. The blocks minimise the maximum finish time. Within that, every cut is as near as possible to its
/// position for divisible loads. Returns the end of each rank's block. Cost: O(loads + ranks log loads).
std::vector<std::size_t> partition_chain(std::span<const double> loads, const ProcArray& procs,
                                         std::span<const std::int32_t> ranks) {
  PLIMSOLL_EXPECT(loads.empty() || !ranks.empty());
  const Chain chain(loads, procs, ranks);
  if (loads.empty()) return std::vector<std::size_t>(ranks.size(), 0);
  const double time_s = minimum_time(chain);
  // Compute the earliest cuts: the ranks after a cut must be able to finish the rest.
  std::vector<std::size_t> earliest(ranks.size(), chain.size());
  for (std::size_t k = ranks.size() - 1; k > 0; --k)
    earliest[k - 1] = chain.reach_back(k, earliest[k], time_s);

  const std::vector<double> shares = fair_shares(procs, ranks, chain.load());
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  double share_so_far = 0;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    share_so_far += shares[k];
    const std::size_t latest = chain.reach(k, begin, time_s);
    begin = std::min(latest, std::max({begin, earliest[k], chain.nearest_cut(share_so_far)}));
    ends.push_back(begin);
  }
  ends.back() = chain.size();
  PLIMSOLL_ENSURE(ends.size() == ranks.size() && std::ranges::is_sorted(ends));
  return ends;
}

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
      const std::vector<std::size_t> ends = partition_chain(loads, procs, ranks);
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
