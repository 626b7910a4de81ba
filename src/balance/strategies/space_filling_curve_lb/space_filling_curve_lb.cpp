#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/parse.hpp>

#include "balance/search/chain_partition.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/positions.hpp"
#include "balance/search/space_filling_curve.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/refine_lb/refine_lb.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr support::Named<SpaceFillingCurve> curves[] = {{"hilbert", SpaceFillingCurve::hilbert},
                                                        {"morton", SpaceFillingCurve::morton}};

/// Maximum share of objects outside the block of their rank: with six neighbours per object and blocks of a
/// thousand objects, off-rank messages then increase by about 10 %.
constexpr double max_displaced = 0.005;

/// Maximum share of the load above the average at which it is worth a try to migrate few objects.
constexpr double max_excess_share = 0.25;

/// Returns the share of the time of all ranks that they need after the average.
double excess_share(const ProcArray& procs) {
  double excess = 0;
  double total = 0;
  for (const ProcInfo& proc : procs.procs) {
    excess += std::max(0.0, proc.total_load - procs.average_load());
    total += proc.total_load;
  }
  return total > 0 ? excess / total : 0;
}

/// Returns the migratable objects in the order of the curve. Objects in the same cell are sorted by number,
/// or by index without numbers.
std::vector<std::uint32_t> objects_along(SpaceFillingCurve curve, const LDStats& stats) {
  const std::vector<std::uint64_t> positions = curve_positions(curve, stats);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  keys.reserve(positions.size());
  for (std::uint32_t object = 0; object < positions.size(); ++object)
    if (stats.obj_data[object].migratable) keys.emplace_back(positions[object], object);
  std::ranges::sort(keys, [&](const auto& one, const auto& other) {
    if (one.first != other.first || stats.numbers.empty()) return one < other;
    return stats.numbers[one.second] < stats.numbers[other.second];
  });
  std::vector<std::uint32_t> objects;
  objects.reserve(keys.size());
  for (const auto& [position, object] : keys) objects.push_back(object);
  return objects;
}

/// Returns the available ranks, sorted by the mean place of their objects along the curve, so that a second
/// cut moves few objects. Ranks without objects come last.
std::vector<std::int32_t> ranks_along(const std::vector<std::uint32_t>& objects, const LDStats& stats) {
  std::vector<double> sum(stats.procs.size());
  std::vector<double> n(stats.procs.size());
  for (std::size_t place = 0; place < objects.size(); ++place) {
    const auto rank = at(stats.from_proc[objects[place]]);
    sum[rank] += static_cast<double>(place);
    ++n[rank];
  }
  std::vector<std::int32_t> ranks = available_ranks(stats);
  std::ranges::stable_sort(ranks, {}, [&](std::int32_t rank) {
    return n[at(rank)] > 0 ? sum[at(rank)] / n[at(rank)] : static_cast<double>(objects.size());
  });
  return ranks;
}

/// Returns the number of objects that are far from the other objects of their rank: their distance along the
/// curve from the median of these is more than three quarters of their number. Consecutive objects are within
/// one half of it; the rest leaves room for objects that have migrated away.
double displaced(const std::vector<std::uint32_t>& objects, const std::vector<std::int32_t>& placement,
                 std::size_t n_ranks) {
  std::vector<std::vector<std::size_t>> places(n_ranks);
  for (std::size_t place = 0; place < objects.size(); ++place)
    places[at(placement[objects[place]])].push_back(place);
  std::size_t n = 0;
  for (const std::vector<std::size_t>& of_rank : places) {
    for (const std::size_t place : of_rank) {
      const std::size_t median = of_rank[of_rank.size() / 2];
      const std::size_t distance = place > median ? place - median : median - place;
      n += 4 * distance > 3 * of_rank.size() ? 1 : 0;
    }
  }
  return static_cast<double>(n);
}

/// Gives each rank a block of consecutive objects on a space-filling curve, and keeps the blocks while few
/// objects outside of them balance the ranks. One thread; O(objects log objects).
class SpaceFillingCurveLB : public Strategy {
 public:
  explicit SpaceFillingCurveLB(const Parameters& parameters)
      : Strategy("SpaceFillingCurveLB", parameters),
        tolerance_(tolerance_of("SpaceFillingCurveLB", parameters)),
        curve_(
            support::value_of(curves, parameters.get<std::string>("curve"), "curve of SpaceFillingCurveLB")),
        limits_(parameters) {}

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    stats.to_proc = stats.from_proc;
    if (procs.n_migratable() == 0) return;
    check_positions("SpaceFillingCurveLB", stats);
    const std::vector<std::uint32_t> objects = objects_along(curve_, stats);
    if (!limits_.limit_memory() && shed(objects, stats, procs)) return;
    cut(objects, stats, procs);
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(false); }
  double target() const override { return tolerance_; }

 private:
  /// Keeps the blocks, and migrates few objects out of them. Returns whether that suffices.
  bool shed(const std::vector<std::uint32_t>& objects, LDStats& stats, const ProcArray& procs) const {
    const double allowed = max_displaced * static_cast<double>(objects.size());
    if (excess_share(procs) > max_excess_share ||
        displaced(objects, stats.from_proc, stats.procs.size()) > allowed)
      return false;
    refine_within(tolerance_, stats, procs, small_search(procs));
    const double max_s = std::ranges::max(finish_times(stats, stats.to_proc));
    return max_s <= tolerance_ * procs.average_load() &&
           displaced(objects, stats.to_proc, stats.procs.size()) <= allowed;
  }

  /// Cuts the curve so that the last rank finishes as early as possible.
  void cut(const std::vector<std::uint32_t>& objects, LDStats& stats, const ProcArray& procs) const {
    const std::vector<std::int32_t> ranks = ranks_along(objects, stats);
    std::vector<double> loads;
    loads.reserve(objects.size());
    for (const std::uint32_t object : objects) loads.push_back(stats.load_s(object));
    const MemoryOfChain memory = memory_of(objects, ranks, stats);
    const std::vector<std::size_t> ends = partition_chain({.loads = loads,
                                                           .bytes = memory.bytes,
                                                           .max_bytes = memory.rooms,
                                                           .blocks = memory.blocks,
                                                           .block_bytes = memory.block_bytes},
                                                          procs, ranks);
    if (ends.empty()) {  // objects fit, if at all, only in another order
      refine_within(tolerance_, limits_, stats, procs);
      return;
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < ranks.size(); ++k)
      for (; next < ends[k]; ++next) stats.to_proc[objects[next]] = ranks[k];
  }

  /// Columns of an ObjectChain; empty without limits.
  struct MemoryOfChain {
    std::vector<double> bytes;
    std::vector<double> rooms;
    std::vector<std::uint32_t> blocks;
    std::vector<double> block_bytes;
  };

  MemoryOfChain memory_of(const std::vector<std::uint32_t>& objects, const std::vector<std::int32_t>& ranks,
                          const LDStats& stats) const {
    MemoryOfChain memory;
    if (limits_.max_memory_bytes == Limits::unlimited || stats.memory.empty()) return memory;
    memory.block_bytes.reserve(stats.blocks.size());
    for (const SharedBlock& block : stats.blocks) memory.block_bytes.push_back(block.bytes);
    memory.bytes.reserve(objects.size());
    memory.blocks.reserve(stats.blocks.empty() ? 0 : objects.size());
    for (const std::uint32_t object : objects) {
      memory.bytes.push_back(stats.memory[object].footprint_bytes);
      if (!stats.blocks.empty()) memory.blocks.push_back(stats.memory[object].block);
    }
    memory.rooms = rooms_of(ranks, stats);
    return memory;
  }

  /// Returns the bytes that footprints and blocks may use on each rank: the limit without the rank's other
  /// memory. Any object may be the one with the largest working memory.
  std::vector<double> rooms_of(const std::vector<std::int32_t>& ranks, const LDStats& stats) const {
    double working = 0;
    for (const ObjMemory& memory : stats.memory)
      working =
          std::max(working, memory.working_bytes + (limits_.count_serialized ? memory.serialized_bytes : 0));
    const std::vector<double> fixed = bytes_that_stay(stats);
    std::vector<double> rooms;
    rooms.reserve(ranks.size());
    for (const std::int32_t rank : ranks)
      rooms.push_back(std::max(0.0, limits_.max_memory_bytes - working - fixed[at(rank)] -
                                        stats.procs[at(rank)].rank_working_bytes));
    return rooms;
  }

  /// Returns the footprints of the non-migratable objects on each rank, and their blocks.
  static std::vector<double> bytes_that_stay(const LDStats& stats) {
    std::vector<double> bytes(stats.procs.size());
    std::set<std::pair<std::int32_t, std::uint32_t>> counted;
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
      if (stats.obj_data[object].migratable) continue;
      const std::int32_t rank = stats.from_proc[object];
      const ObjMemory& memory = stats.memory[object];
      bytes[at(rank)] += memory.footprint_bytes;
      if (memory.block != ObjMemory::no_block && counted.emplace(rank, memory.block).second)
        bytes[at(rank)] += stats.blocks[memory.block].bytes;
    }
    return bytes;
  }

  double tolerance_;
  SpaceFillingCurve curve_;
  Limits limits_;
};

}  // namespace

StrategyInfo space_filling_curve_lb_info() {
  return {.name = "SpaceFillingCurveLB",
          .help = "gives each rank a block of objects on a space-filling curve, and keeps it while it can",
          .parameters = {{"tolerance", 1.02,
                          "maximum load relative to the average at which blocks are kept (>= 1)"},
                         {"curve", "hilbert", "order of the objects: hilbert or morton"}},
          .make = make_strategy<SpaceFillingCurveLB>,
          .needs = {.positions = true, .communication = false},
          .keeps_shape = true};
}

}  // namespace plimsoll::balance
