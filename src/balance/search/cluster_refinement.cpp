#include "balance/search/cluster_refinement.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t max_receivers = 64;
constexpr std::size_t max_steps_per_rank = 16;
// Share of the room of a rank that a step fills at least, if it can. Filling the rest would take many light
// objects.
constexpr double sufficient_share = 0.95;

/// Objects of one rank that use the same block (maybe ObjMemory::no_block), heaviest first.
struct RankCluster {
  std::vector<LoadedObject> objects;
  double load_s = 0;
};

/// Migrations between two ranks.
struct ClusterExchange {
  std::int32_t partner = 0;
  std::vector<LoadedObject> given;
  std::vector<LoadedObject> taken;
  double higher_work = std::numeric_limits<double>::infinity();

  std::size_t n_moved() const { return given.size() + taken.size(); }
};

class Refinement {
 public:
  Refinement(const LDStats& stats, const WorkGoal& goal, double target_work,
             const std::vector<std::int32_t>& start)
      : stats_(stats),
        target_(target_work * (1 + rounding_error)),
        state_(stats, goal, start),
        clusters_(stats.procs.size()),
        filed_work_(stats.procs.size()) {
    PLIMSOLL_EXPECT(goal.is_load_only());
    for (const LoadedObject& item : migratable_by_descending_load(stats)) {
      RankCluster& cluster = clusters_[at(start[item.object])][block_of(item.object)];
      cluster.objects.push_back(item);
      cluster.load_s += item.load;
    }
    for (const std::int32_t rank : available_ranks(stats)) file(rank);
  }

  std::vector<std::int32_t> run() {
    for (std::size_t left = max_steps_per_rank * by_work_.size(); left > 0; --left) {
      const auto [work, rank] = *by_work_.rbegin();
      if (work <= target_) break;
      const std::optional<ClusterExchange> best = best_exchange(rank);
      if (!best) break;
      apply(*best, rank);
      file(rank);
      file(best->partner);
    }
    return state_.placement();
  }

 private:
  using Items = std::vector<LoadedObject>;

  std::uint32_t block_of(std::uint32_t object) const {
    return stats_.memory.empty() ? ObjMemory::no_block : stats_.memory[object].block;
  }

  void file(std::int32_t rank) {
    by_work_.erase({filed_work_[at(rank)], rank});
    filed_work_[at(rank)] = state_.work(rank);
    by_work_.insert({filed_work_[at(rank)], rank});
  }

  std::optional<ClusterExchange> best_exchange(std::int32_t rank) {
    std::optional<ClusterExchange> best;
    std::size_t left = max_receivers;
    for (auto partner = by_work_.begin(); partner != by_work_.end() && left > 0; ++partner, --left) {
      if (partner->second == rank) break;
      for (const auto& [block, cluster] : clusters_[at(rank)]) {
        consider(rank, partner->second, part_of(cluster, rank, partner->second), {}, best);
        for (const auto& [other_block, other] : clusters_[at(partner->second)])
          if (block != ObjMemory::no_block && other_block != ObjMemory::no_block &&
              other.load_s < cluster.load_s)
            consider(rank, partner->second, cluster.objects, other.objects, best);
      }
    }
    return best;
  }

  /// Returns the heaviest objects of a cluster that the partner can hold: enough to bring `rank` to the
  /// target, or to fill the partner.
  Items part_of(const RankCluster& cluster, std::int32_t rank, std::int32_t partner) const {
    const double excess = (state_.work(rank) - target_) / state_.slope(rank);
    const double room = (target_ - state_.work(partner)) / state_.slope(partner);
    // Load with which both ranks have the same work afterwards.
    const double even =
        (state_.work(rank) - state_.work(partner)) / (state_.slope(rank) + state_.slope(partner));
    const double most = std::max(room, even);
    const double enough = excess <= room ? excess : sufficient_share * std::min(excess, most);
    Items part;
    double load = 0;
    for (const LoadedObject& item : cluster.objects) {
      if (load >= enough) break;
      if (item.load == 0 || item.load > most - load) continue;
      part.push_back(item);
      load += item.load;
    }
    return part;
  }

  void consider(std::int32_t rank, std::int32_t partner, const Items& given, const Items& taken,
                std::optional<ClusterExchange>& best) {
    double load = 0;
    for (const LoadedObject& item : given) load += item.load;
    for (const LoadedObject& item : taken) load -= item.load;
    const double higher = std::max({state_.work(rank) - state_.slope(rank) * load,
                                    state_.work(partner) + state_.slope(partner) * load, target_});
    if (higher >= state_.work(rank) * (1 - rounding_error)) return;
    const std::size_t n_moved = given.size() + taken.size();
    if (best && std::pair(best->higher_work, best->n_moved()) <= std::pair(higher, n_moved)) return;
    move_all(given, partner);
    move_all(taken, rank);
    if (state_.fits(rank) && state_.fits(partner)) best = {partner, given, taken, higher};
    move_all(taken, partner);
    move_all(given, rank);
  }

  void move_all(const Items& items, std::int32_t rank) {
    for (const LoadedObject& item : items) state_.move(item.object, rank);
  }

  void apply(const ClusterExchange& exchange, std::int32_t rank) {
    move_all(exchange.given, exchange.partner);
    move_all(exchange.taken, rank);
    transfer(exchange.given, rank, exchange.partner);
    transfer(exchange.taken, exchange.partner, rank);
  }

  /// Moves objects of one cluster to the cluster of the same block on another rank.
  void transfer(const Items& items, std::int32_t from, std::int32_t to) {
    if (items.empty()) return;
    const std::uint32_t block = block_of(items.front().object);
    RankCluster& source = clusters_[at(from)][block];
    RankCluster& target = clusters_[at(to)][block];
    for (const LoadedObject& item : items) {
      source.load_s -= item.load;
      target.load_s += item.load;
    }
    const std::set<LoadedObject> leaving(items.begin(), items.end());
    std::erase_if(source.objects, [&](const LoadedObject& item) { return leaving.contains(item); });
    target.objects.insert(target.objects.end(), items.begin(), items.end());
    std::ranges::stable_sort(target.objects, std::ranges::greater(), &LoadedObject::load);
    if (source.objects.empty()) clusters_[at(from)].erase(block);
  }

  const LDStats& stats_;
  double target_;
  WorkState state_;
  std::vector<std::map<std::uint32_t, RankCluster>> clusters_;  ///< clusters of each rank, by block
  std::set<std::pair<double, std::int32_t>> by_work_;           ///< available ranks
  std::vector<double> filed_work_;                              ///< work of each rank in by_work_
};

}  // namespace

std::vector<std::int32_t> refine_clusters(const LDStats& stats, const WorkGoal& goal, double target_work,
                                          const std::vector<std::int32_t>& start) {
  return Refinement(stats, goal, target_work, start).run();
}

}  // namespace plimsoll::balance
