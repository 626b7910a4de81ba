#include "balance/strategies/cluster_lb/packing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "balance/search/assignment.hpp"
#include "balance/search/block_space.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/cluster_lb/block_plan.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t max_ranks_to_compare = 256;

/// Returns the memory that no migratable object with a shared block exceeds.
ObjectBytes most_object_bytes(const LDStats& stats) {
  ObjectBytes most;
  for (std::size_t object = 0; object < stats.memory.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    most.working = std::max(most.working, stats.memory[object].working_bytes);
    most.serialized = std::max(most.serialized, stats.memory[object].serialized_bytes);
  }
  return most;
}

struct LevelDivision {
  BlockDivision division;
  double above = 0;  ///< level relative to a lower bound, minus 1
};

/// Returns the division for the lowest level at which divide_blocks() succeeds: first in growing steps above
/// `minimum_work`, then by bisection.
std::optional<LevelDivision> divide_at_lowest_level(const LDStats& stats, const ObjectsOfBlocks& objects,
                                                    std::span<const BlockHost> hosts, double minimum_work,
                                                    double granularity) {
  constexpr double first_step = 0.0005;
  constexpr double last_step = 64;
  constexpr int n_bisections = 6;
  std::optional<LevelDivision> best;
  const auto try_level = [&](double above) {
    auto division = divide_blocks(stats, objects, hosts, minimum_work * (1 + above), granularity);
    if (division) best = {std::move(*division), above};
    return division.has_value();
  };
  if (try_level(0)) return best;
  double failed = 0;
  for (double step = first_step; step < last_step && !try_level(step); step *= 1.5) failed = step;
  for (int k = 0; best && k < n_bisections; ++k) {
    const double middle = (failed + best->above) / 2;
    if (!try_level(middle)) failed = middle;
  }
  return best;
}

/// Prefers a division that keeps blocks of one rank together to one with a slightly lower level.
std::optional<BlockDivision> best_division(const LDStats& stats, const ObjectsOfBlocks& objects,
                                           std::span<const BlockHost> hosts, double minimum_work) {
  constexpr double coarse = 3;
  constexpr double small_gain = 5e-4;
  auto together = divide_at_lowest_level(stats, objects, hosts, minimum_work, coarse);
  if (together && together->above <= small_gain) return std::move(together->division);
  auto exact = divide_at_lowest_level(stats, objects, hosts, minimum_work, 0);
  if (!exact || (together && together->above <= exact->above + small_gain)) exact = std::move(together);
  if (!exact) return {};
  return std::move(exact->division);
}

/// Places objects, each with an exact look at the memory.
class Packing {
 public:
  Packing(const LDStats& stats, const WorkGoal& goal)
      : stats_(stats),
        goal_(goal),
        state_(stats, goal, non_migratable_only(stats)),
        filed_work_(stats.procs.size()) {}

  std::optional<std::vector<std::int32_t>> run(double minimum_work) {
    const std::vector<BlockHost> hosts = block_hosts(stats_, goal_, most_object_bytes(stats_));
    ObjectsOfBlocks objects = migratable_by_block(stats_);
    for (std::vector<std::uint32_t>& of_block : objects) sort_by_load(of_block);
    const auto division = best_division(stats_, objects, hosts, minimum_work);
    if (!division) return {};
    std::vector<std::uint32_t> others;
    const std::vector<std::int32_t> label_of = labels(*division, hosts);
    for (const BlockPiece& piece : division->pieces)
      for (const std::uint32_t object : piece.objects)
        if (!place_if_fits(object, label_of[at(piece.rank)])) others.push_back(object);
    for (const BlockHost& host : hosts) file(host.rank);
    for (std::uint32_t object = 0; object < stats_.obj_data.size(); ++object)
      if (stats_.obj_data[object].migratable && block_of(object) == ObjMemory::no_block)
        others.push_back(object);
    sort_by_load(others);
    const double level = std::max(minimum_work, state_.max_work());
    for (const std::uint32_t object : others)
      if (!place_alone(object, level)) return {};
    return state_.placement();
  }

 private:
  std::uint32_t block_of(std::uint32_t object) const {
    return stats_.memory.empty() ? ObjMemory::no_block : stats_.memory[object].block;
  }

  void sort_by_load(std::vector<std::uint32_t>& objects) const {
    std::ranges::stable_sort(objects, std::greater(),
                             [&](std::uint32_t object) { return stats_.load_s(object); });
  }

  /// Returns what stays if a rank of the division gets the number of another rank.
  std::vector<Pairing> kept_by(const BlockDivision& division) const {
    double total_bytes = 0;
    for (std::size_t object = 0; object < stats_.memory.size(); ++object)
      total_bytes += stats_.migration_bytes(object);
    std::vector<Pairing> kept;
    for (const BlockPiece& piece : division.pieces)
      for (const std::uint32_t object : piece.objects)
        kept.push_back(
            {piece.rank, stats_.from_proc[object], total_bytes > 0 ? stats_.migration_bytes(object) : 1});
    return kept;
  }

  /// Returns a new number for each rank, so that most of the division stays.
  std::vector<std::int32_t> labels(const BlockDivision& division, std::span<const BlockHost> hosts) const {
    const std::vector<Pairing> kept = kept_by(division);
    if (hosts.size() > max_ranks_to_compare) return labels_of_equal_ranks(stats_, goal_, kept);
    return labels_of_similar_ranks(division, hosts, kept);
  }

  /// Ranks with slightly different work may be permuted too, although this may increase the maximum work a
  /// bit: otherwise measured loads of non-migratable objects would prevent most permutations.
  std::vector<std::int32_t> labels_of_similar_ranks(const BlockDivision& division,
                                                    std::span<const BlockHost> hosts,
                                                    const std::vector<Pairing>& kept) const {
    constexpr double small_increase = 5e-4;
    const std::size_t n = hosts.size();
    std::vector<std::size_t> index_of(stats_.procs.size(), n);
    for (std::size_t i = 0; i < n; ++i) index_of[at(hosts[i].rank)] = i;
    std::vector<double> loads(n);
    std::vector<double> bytes(n);
    std::vector<std::size_t> n_blocks(n);
    for (const BlockPiece& piece : division.pieces) {
      const std::size_t i = index_of[at(piece.rank)];
      ++n_blocks[i];
      if (!piece.objects.empty()) bytes[i] += stats_.blocks[block_of(piece.objects.front())].bytes;
      for (const std::uint32_t object : piece.objects) {
        loads[i] += stats_.load_s(object);
        bytes[i] += stats_.memory[object].footprint_bytes;
      }
    }
    double level = 0;
    double total = 1;  // more than all kept pairings are worth
    for (std::size_t i = 0; i < n; ++i) level = std::max(level, hosts[i].base + hosts[i].slope * loads[i]);
    for (const Pairing& pairing : kept) total += pairing.value;
    std::vector<double> cost(n * n, 0.0);
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        const BlockHost& host = hosts[column];
        if (row != column && (host.base + host.slope * loads[row] > level * (1 + small_increase) ||
                              bytes[row] > host.bytes || n_blocks[row] > host.max_blocks))
          cost[row * n + column] = total;
      }
    for (const Pairing& pairing : kept)
      if (const std::size_t column = index_of[at(pairing.column)]; column < n)
        cost[index_of[at(pairing.row)] * n + column] -= pairing.value;
    const std::vector<std::int32_t> column_of = cheapest_assignment(cost, n);
    std::vector<std::int32_t> label(stats_.procs.size());
    std::iota(label.begin(), label.end(), 0);
    for (std::size_t i = 0; i < n; ++i) label[at(hosts[i].rank)] = hosts[at(column_of[i])].rank;
    return label;
  }

  bool place_if_fits(std::uint32_t object, std::int32_t rank) {
    state_.place(object, rank);
    if (state_.fits(rank)) return true;
    state_.take(object);
    return false;
  }

  /// Places an object on its rank if that has a work of at most `level` then, or else on the rank with the
  /// lowest work that can hold it.
  bool place_alone(std::uint32_t object, double level) {
    const std::int32_t home = stats_.from_proc[object];
    if (stats_.procs[at(home)].available &&
        state_.work(home) + state_.slope(home) * stats_.load_s(object) <= level &&
        place_and_file(object, home))
      return true;
    for (auto entry = by_work_.begin(); entry != by_work_.end(); ++entry)
      if (place_and_file(object, entry->second)) return true;
    return false;
  }

  bool place_and_file(std::uint32_t object, std::int32_t rank) {
    if (!place_if_fits(object, rank)) return false;
    file(rank);
    return true;
  }

  void file(std::int32_t rank) {
    by_work_.erase({filed_work_[at(rank)], rank});
    filed_work_[at(rank)] = state_.work(rank);
    by_work_.insert({filed_work_[at(rank)], rank});
  }

  const LDStats& stats_;
  const WorkGoal& goal_;
  WorkState state_;
  std::set<std::pair<double, std::int32_t>> by_work_;  ///< available ranks
  std::vector<double> filed_work_;                     ///< work of each rank in by_work_
};

}  // namespace

std::optional<std::vector<std::int32_t>> pack(const LDStats& stats, const WorkGoal& goal,
                                              double minimum_work) {
  return Packing(stats, goal).run(minimum_work);
}

}  // namespace plimsoll::balance
