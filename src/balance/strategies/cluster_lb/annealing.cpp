#include "balance/strategies/cluster_lb/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/search/random.hpp"
#include "balance/strategies/cluster_lb/clusters.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Number of objects that move in about the time of a rejected step.
constexpr std::int64_t objects_per_step = 16;

class Annealing {
 public:
  Annealing(const LDStats& stats, const WorkGoal& goal, double level, std::span<const std::int32_t> start,
            std::uint64_t seed)
      : stats_(stats),
        goal_(goal),
        level_(level),
        state_(stats, goal, start),
        random_(seed),
        available_(available_ranks(stats)),
        objects_(stats.procs.size(), start.size()),
        clusters_(stats, start),
        best_{{start.begin(), start.end()}, {}} {
    state_.set_level(level);
    for (std::uint32_t object = 0; object < start.size(); ++object) {
      if (!stats.obj_data[object].migratable) continue;
      PLIMSOLL_EXPECT(stats.procs[at(start[object])].available);
      migratable_.push_back(object);
      objects_.add(object, at(start[object]));
      if (start[object] != stats.from_proc[object]) {
        ++n_moved_;
        moved_bytes_ += stats.migration_bytes(object);
      }
    }
    best_.score = {state_.memory_excess(), state_.max_work()};
    const double limit = std::min(goal.limits.max_memory_bytes, goal.limits.max_node_memory_bytes);
    if (best_.score.first > 0)
      excess_weight_ = 10 * (state_.unevenness() + level * level) / std::max(limit, 1.0);
  }

  void run(const AnnealingSchedule& schedule) {
    if (available_.size() < 2 || migratable_.empty()) return;
    const auto effort_of_a_temperature = std::clamp<std::int64_t>(std::ssize(migratable_), 16, 4096);
    const double cooling =
        std::pow(schedule.last_work / schedule.first_work,
                 2 * static_cast<double>(effort_of_a_temperature) / static_cast<double>(schedule.effort));
    temperature_ = schedule.first_work * schedule.first_work;
    for (std::int64_t done = 0, next = 0; done < schedule.effort; done += step()) {
      if (done < next) continue;
      next += effort_of_a_temperature;
      temperature_ *= cooling;
      keep_if_best();
      if (best_.score.first == 0 && best_.score.second <= level_ * (1 + rounding_error)) return;
    }
    keep_if_best();
  }

  Annealed take_best() { return std::move(best_); }

 private:
  using Objects = std::vector<std::uint32_t>;

  /// Tries one migration or swap. Returns its effort.
  std::int64_t step() {
    const std::uint32_t object = migratable_[below(migratable_.size())];
    const std::int32_t rank = state_.rank_of(object);
    const std::int32_t other = partner_rank(object, rank);
    if (other == rank) return 1;
    const std::uint64_t kind = below(8);
    const bool with_cluster = kind >= 6;
    const Cluster* given = cluster_of(object, with_cluster);
    const Cluster* taken = nullptr;
    std::optional<std::uint32_t> returned;
    if (kind % 2 == 1 && !objects_on(other).empty()) {
      returned = objects_on(other)[below(objects_on(other).size())];
      taken = cluster_of(*returned, with_cluster);
    }
    // Most steps of a good placement would make it worse: reject these before moving any object.
    const double load_s =
        (given != nullptr ? given->load_s : stats_.load_s(object)) - (taken != nullptr ? taken->load_s
                                                                      : returned ? stats_.load_s(*returned)
                                                                                 : 0);
    const bool decided = goal_.is_load_only() && excess_weight_ == 0;
    if (decided && !may_move(load_s, rank, other)) return 1;
    given_.clear();
    taken_.clear();
    copy(given, object, given_);
    if (returned) copy(taken, *returned, taken_);
    exchange(rank, other, decided);
    return 1 + (std::ssize(given_) + std::ssize(taken_)) / objects_per_step;
  }

  std::int32_t partner_rank(std::uint32_t object, std::int32_t rank) {
    const std::uint64_t choice = below(4);
    const auto edges = state_.edges(object);
    const std::uint32_t block = clusters_.block_of(object);
    std::int32_t partner = rank;
    if (choice == 0 && !edges.empty()) partner = state_.rank_of(edges[below(edges.size())].other);
    if (choice == 1 && block != ObjMemory::no_block) {
      const std::vector<Cluster>& clusters = clusters_.of_block(block);
      partner = clusters[below(clusters.size())].rank;
    }
    if (partner == rank || !stats_.procs[at(partner)].available)
      partner = available_[below(available_.size())];
    return partner;
  }

  /// Returns the cluster that moves with an object; nullptr if the object moves alone.
  const Cluster* cluster_of(std::uint32_t object, bool with_cluster) const {
    if (!with_cluster || clusters_.block_of(object) == ObjMemory::no_block) return nullptr;
    return &clusters_.of(object, state_.rank_of(object));
  }

  static void copy(const Cluster* cluster, std::uint32_t object, Objects& objects) {
    if (cluster == nullptr) return objects.push_back(object);
    objects.insert(objects.end(), cluster->objects.begin(), cluster->objects.end());
  }

  /// Accepts or rejects the migration of a load, if the work depends only on loads.
  bool may_move(double load_s, std::int32_t rank, std::int32_t other) {
    const double here = state_.work(rank) - level_;
    const double there = state_.work(other) - level_;
    const double here_after = here - state_.slope(rank) * load_s;
    const double there_after = there + state_.slope(other) * load_s;
    return accept(here_after * here_after + there_after * there_after - here * here - there * there);
  }

  bool accept(double change) { return change <= 0 || random_.uniform() < std::exp(-change / temperature_); }

  void exchange(std::int32_t rank, std::int32_t other, bool decided) {
    const double before = energy();
    move_all(given_, other);
    move_all(taken_, rank);
    if (state_.fits(rank) && state_.fits(other) && within_budget() && (decided || accept(energy() - before)))
      return;
    move_all(taken_, other);
    move_all(given_, rank);
  }

  void move_all(const Objects& objects, std::int32_t rank) {
    for (const std::uint32_t object : objects) move(object, rank);
  }

  void move(std::uint32_t object, std::int32_t rank) {
    const std::int32_t from = state_.rank_of(object);
    const std::int32_t home = stats_.from_proc[object];
    if (from == home) {
      ++n_moved_;
      moved_bytes_ += stats_.migration_bytes(object);
    } else if (rank == home) {
      --n_moved_;
      moved_bytes_ -= stats_.migration_bytes(object);
    }
    objects_.move(object, at(from), at(rank));
    clusters_.move(object, from, rank);
    state_.move(object, rank);
  }

  bool within_budget() const {
    return n_moved_ <= goal_.limits.max_moves && moved_bytes_ <= goal_.limits.max_moved_bytes;
  }

  double energy() const {
    return state_.unevenness() + (excess_weight_ > 0 ? excess_weight_ * state_.memory_excess() : 0);
  }

  void keep_if_best() {
    const Score score{state_.memory_excess(), state_.max_work()};
    if (!(score < best_.score)) return;
    best_ = {state_.placement(), score};
  }

  std::uint32_t below(std::size_t count) {
    return static_cast<std::uint32_t>((random_.next() >> 32) * count >> 32);
  }

  const Objects& objects_on(std::int32_t rank) const { return objects_.on(at(rank)); }

  const LDStats& stats_;
  const WorkGoal& goal_;
  double level_;
  WorkState state_;
  Random random_;
  double temperature_ = 0;
  /// Penalty per byte above the memory limits, in work^2; 0 if no limit can be exceeded.
  double excess_weight_ = 0;
  std::int64_t n_moved_ = 0;
  double moved_bytes_ = 0;
  Objects migratable_;
  std::vector<std::int32_t> available_;
  ObjectsByRank objects_;  ///< migratable objects of each rank
  Clusters clusters_;
  Objects given_;  ///< objects that a step tries to swap
  Objects taken_;
  Annealed best_;
};

}  // namespace

Annealed anneal(const LDStats& stats, const WorkGoal& goal, double level, std::span<const std::int32_t> start,
                std::uint64_t seed, const AnnealingSchedule& schedule) {
  Annealing annealing(stats, goal, level, start, seed);
  annealing.run(schedule);
  return annealing.take_best();
}

}  // namespace plimsoll::balance
