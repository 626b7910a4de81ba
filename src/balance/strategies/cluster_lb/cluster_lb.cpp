#include "balance/strategies/cluster_lb/cluster_lb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "balance/search/assignment.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/search/random.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Places all migratable objects from scratch so that ranks have a work of about `level`. Each rank in turn
/// gets light shared blocks with all their objects, and is filled up with a part of the heaviest block.
/// Objects without a block fill the ranks with the lowest load. As a result few blocks are split, and each
/// rank has few blocks. Communication, homes of shared blocks and the current placement are ignored.
///
/// The result is empty if the objects do not fit into memory this way. Cost: O(objects (log objects + ranks
/// that are full)).
class Packing {
 public:
  Packing(const LDStats& stats, const WorkGoal& goal, double level)
      : stats_(stats),
        level_(level),
        state_(stats, goal, non_migratable_only(stats)),
        objects_of_(stats.blocks.size()) {
    std::vector<std::uint32_t> heaviest_first(stats.obj_data.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), 0U);
    std::ranges::stable_sort(heaviest_first, std::greater(),
                             [&](std::uint32_t object) { return stats_.load_s(object); });
    for (const std::uint32_t object : heaviest_first) {
      if (!stats.obj_data[object].migratable) continue;
      const std::uint32_t block = stats.memory.empty() ? ObjMemory::no_block : stats.memory[object].block;
      (block == ObjMemory::no_block ? singles_ : objects_of_[block]).push_back(object);
    }
    for (std::uint32_t block = 0; block < objects_of_.size(); ++block) file(block);
  }

  std::optional<std::vector<std::int32_t>> run() {
    const std::vector<std::int32_t> ranks = available_ranks(stats_);
    for (const std::int32_t rank : ranks)
      if (state_.slope(rank) > 0) fill(rank);
    while (!blocks_.empty())
      if (!place_on_roomiest(std::prev(blocks_.end()))) return {};
    for (const std::int32_t rank : ranks) by_work_.insert({state_.work(rank), rank});
    for (const std::uint32_t object : singles_)
      if (!place_on_least(object)) return {};
    return state_.placement();
  }

 private:
  using Blocks = std::set<std::pair<double, std::uint32_t>>;

  std::uint32_t heaviest() const { return blocks_.rbegin()->second; }
  double room(std::int32_t rank) const { return (level_ - state_.work(rank)) / state_.slope(rank); }

  void file(std::uint32_t block) {
    double sum = 0;
    for (const std::uint32_t object : objects_of_[block]) sum += stats_.load_s(object);
    if (!objects_of_[block].empty()) blocks_.insert({sum, block});
  }

  bool place_if_fits(std::uint32_t object, std::int32_t rank) {
    state_.place(object, rank);
    if (state_.fits(rank)) return true;
    state_.take(object);
    return false;
  }

  void fill(std::int32_t rank) {
    while (!blocks_.empty()) {
      const auto most = std::prev(blocks_.end());
      if (most->first <= room(rank)) {
        if (!place_part(most, rank)) return;
        continue;
      }
      if (blocks_.begin() != most && blocks_.begin()->first <= room(rank) && fits_with_heaviest(rank)) {
        place_part(blocks_.begin(), rank);
        continue;
      }
      place_part(most, rank);
      return;
    }
  }

  /// Returns whether the lightest block fits and leaves enough memory for the heaviest.
  bool fits_with_heaviest(std::int32_t rank) {
    const std::uint32_t light = objects_of_[blocks_.begin()->second].front();
    const std::uint32_t heavy = objects_of_[heaviest()].front();
    if (!place_if_fits(light, rank)) return false;
    const bool both = place_if_fits(heavy, rank);
    if (both) state_.take(heavy);
    state_.take(light);
    return both;
  }

  /// Places objects of a block while they fit, heaviest first. Returns whether any object was placed.
  bool place_part(Blocks::const_iterator entry, std::int32_t rank) {
    const auto [sum, block] = *entry;
    const bool whole = sum <= room(rank);
    std::vector<std::uint32_t>& objects = objects_of_[block];
    const std::size_t before = objects.size();
    std::erase_if(objects, [&](std::uint32_t object) {
      return (whole || stats_.load_s(object) <= room(rank)) && place_if_fits(object, rank);
    });
    blocks_.erase(entry);
    file(block);
    return objects.size() < before;
  }

  /// Finds the rank with the lowest work that can hold the heaviest object of a block, and places the part of
  /// the block that fits there. Returns whether such a rank exists.
  bool place_on_roomiest(Blocks::const_iterator entry) {
    const std::uint32_t block = entry->second;
    std::vector<std::uint32_t>& objects = objects_of_[block];
    std::int32_t best = WorkState::nowhere;
    for (const std::int32_t rank : available_ranks(stats_)) {
      if (!place_if_fits(objects.front(), rank)) continue;
      state_.take(objects.front());
      if (best == WorkState::nowhere || state_.work(rank) < state_.work(best)) best = rank;
    }
    if (best == WorkState::nowhere) return false;
    std::erase_if(objects, [&](std::uint32_t object) { return place_if_fits(object, best); });
    blocks_.erase(entry);
    file(block);
    return true;
  }

  bool place_on_least(std::uint32_t object) {
    for (auto entry = by_work_.begin(); entry != by_work_.end(); ++entry) {
      const std::int32_t rank = entry->second;
      if (!place_if_fits(object, rank)) continue;
      by_work_.erase(entry);
      by_work_.insert({state_.work(rank), rank});
      return true;
    }
    return false;
  }

  const LDStats& stats_;
  double level_;
  WorkState state_;
  std::vector<std::vector<std::uint32_t>> objects_of_;  ///< unplaced objects of each block, heaviest first
  std::vector<std::uint32_t> singles_;                  ///< objects without a block, heaviest first
  Blocks blocks_;                                       ///< (load, block) of blocks with unplaced objects
  std::set<std::pair<double, std::int32_t>> by_work_;   ///< available ranks
};

/// Simulated annealing of a placement within limits. Steps migrate or swap single objects, or all objects of
/// one rank that use the same shared block. Source: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization
/// by simulated annealing", Science 220 (1983).
class Annealing {
 public:
  /// Number of steps, and the initial and final temperature. A temperature is given as a work w: an increase
  /// of the sum of squares by w^2 is accepted with probability 1/e.
  struct Schedule {
    std::int64_t steps = 0;
    double first_work = 0;
    double last_work = 0;
  };

  /// `start` has no migratable object on an unavailable rank. `level` is the target work of all ranks;
  /// the search ends when no rank has more.
  Annealing(const LDStats& stats, const WorkGoal& goal, double level, std::span<const std::int32_t> start,
            std::uint64_t seed)
      : stats_(stats),
        goal_(goal),
        level_(level),
        state_(stats, goal, start),
        random_(seed),
        available_(available_ranks(stats)),
        objects_(stats.procs.size(), start.size()),
        block_of_(start.size(), ObjMemory::no_block),
        objects_of_block_(stats.blocks.size()),
        best_(start.begin(), start.end()) {
    state_.set_level(level);
    for (std::size_t object = 0; object < stats.memory.size(); ++object)
      block_of_[object] = stats.memory[object].block;
    for (std::uint32_t object = 0; object < start.size(); ++object) {
      if (!stats.obj_data[object].migratable) continue;
      PLIMSOLL_EXPECT(stats.procs[at(start[object])].available);
      migratable_.push_back(object);
      objects_.add(object, at(start[object]));
      if (block_of_[object] != ObjMemory::no_block) objects_of_block_[block_of_[object]].push_back(object);
      if (start[object] != stats.from_proc[object]) {
        ++n_moved_;
        moved_bytes_ += stats.migration_bytes(object);
      }
    }
    best_score_ = {state_.memory_excess(), state_.max_work()};
    const double limit = std::min(goal.limits.max_memory_bytes, goal.limits.max_node_memory_bytes);
    if (best_score_.first > 0)
      excess_weight_ = 10 * (state_.unevenness() + level * level) / std::max(limit, 1.0);
  }

  void run(const Schedule& schedule) {
    if (available_.size() < 2 || migratable_.empty()) return;
    const auto steps_of_a_temperature = std::clamp<std::int64_t>(std::ssize(migratable_), 16, 4096);
    const double cooling =
        std::pow(schedule.last_work / schedule.first_work,
                 2 * static_cast<double>(steps_of_a_temperature) / static_cast<double>(schedule.steps));
    temperature_ = schedule.first_work * schedule.first_work;
    for (std::int64_t step_number = 0; step_number < schedule.steps; ++step_number) {
      step();
      if (step_number % steps_of_a_temperature != 0) continue;
      temperature_ *= cooling;
      keep_if_best();
      if (best_score_.first == 0 && best_score_.second <= level_ * (1 + rounding_error)) return;
    }
    keep_if_best();
  }

  const std::vector<std::int32_t>& best() const { return best_; }
  const Score& best_score() const { return best_score_; }

 private:
  using Objects = std::vector<std::uint32_t>;

  void step() {
    const std::uint32_t object = migratable_[below(migratable_.size())];
    const std::int32_t rank = state_.rank_of(object);
    const std::int32_t other = partner_rank(object, rank);
    if (other == rank) return;
    given_.clear();
    taken_.clear();
    const std::uint64_t kind = below(8);
    const bool pieces = kind >= 6;
    gather(object, pieces, given_);
    if (kind % 2 == 1 && !objects_on(other).empty())
      gather(objects_on(other)[below(objects_on(other).size())], pieces, taken_);
    try_exchange(rank, other);
  }

  std::int32_t partner_rank(std::uint32_t object, std::int32_t rank) {
    const std::uint64_t choice = below(4);
    const auto edges = state_.edges(object);
    std::int32_t partner = rank;
    if (choice == 0 && !edges.empty()) partner = state_.rank_of(edges[below(edges.size())].other);
    if (choice == 1 && block_of_[object] != ObjMemory::no_block) {
      const Objects& mates = objects_of_block_[block_of_[object]];
      partner = state_.rank_of(mates[below(mates.size())]);
    }
    if (partner == rank || !stats_.procs[at(partner)].available)
      partner = available_[below(available_.size())];
    return partner;
  }

  /// Adds an object, or all objects of its rank that use its shared block.
  void gather(std::uint32_t object, bool with_block, Objects& piece) const {
    const std::uint32_t block = block_of_[object];
    if (!with_block || block == ObjMemory::no_block) return piece.push_back(object);
    for (const std::uint32_t mate : objects_on(state_.rank_of(object)))
      if (block_of_[mate] == block) piece.push_back(mate);
  }

  void try_exchange(std::int32_t rank, std::int32_t other) {
    const bool decided = goal_.is_load_only() && excess_weight_ == 0;
    if (decided && !may_exchange_loads(rank, other)) return;
    const double before = energy();
    move_all(given_, other);
    move_all(taken_, rank);
    if (state_.fits(rank) && state_.fits(other) && within_budget() && (decided || accept(energy() - before)))
      return;
    move_all(taken_, other);
    move_all(given_, rank);
  }

  /// Rejects most swaps before applying them, if the work depends only on loads.
  bool may_exchange_loads(std::int32_t rank, std::int32_t other) {
    double load = 0;
    for (const std::uint32_t object : given_) load -= stats_.load_s(object);
    for (const std::uint32_t object : taken_) load += stats_.load_s(object);
    const double here = state_.work(rank) - level_;
    const double there = state_.work(other) - level_;
    const double here_after = here + state_.slope(rank) * load;
    const double there_after = there - state_.slope(other) * load;
    return accept(here_after * here_after + there_after * there_after - here * here - there * there);
  }

  bool accept(double change) { return change <= 0 || random_.uniform() < std::exp(-change / temperature_); }

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
    if (!(score < best_score_)) return;
    best_score_ = score;
    best_ = state_.placement();
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
  double excess_weight_ =
      0;  ///< penalty per byte above the memory limits, in work^2; 0 if no limit can be exceeded
  std::int64_t n_moved_ = 0;
  double moved_bytes_ = 0;
  Objects migratable_;
  std::vector<std::int32_t> available_;
  ObjectsByRank objects_;                  ///< migratable objects of each rank
  std::vector<std::uint32_t> block_of_;    ///< block of each object, copied for fast access
  std::vector<Objects> objects_of_block_;  ///< migratable objects of each block
  Objects given_;                          ///< objects that a step tries to swap
  Objects taken_;
  std::vector<std::int32_t> best_;
  Score best_score_;
};

// Initial temperatures, relative to the mean work.
constexpr double hot = 1;
constexpr double warm = 0.003;
// Limit of work / bound: a placement below it is so good that a high temperature is not worth the time and
// the migrations.
constexpr double near = 1.005;

bool has_to_leave(const LDStats& stats, std::size_t object) {
  return stats.obj_data[object].migratable && !stats.procs[at(stats.from_proc[object])].available;
}

/// Returns from_proc with the objects of unavailable ranks placed, heaviest first, each where it fits and
/// causes minimum work. The result is empty if an object fits nowhere.
std::optional<std::vector<std::int32_t>> evacuated(const LDStats& stats, const WorkGoal& goal) {
  std::vector<std::int32_t> placement = stats.from_proc;
  std::vector<std::uint32_t> leaving;
  for (std::uint32_t object = 0; object < placement.size(); ++object) {
    if (!has_to_leave(stats, object)) continue;
    leaving.push_back(object);
    placement[object] = WorkState::nowhere;
  }
  if (leaving.empty()) return placement;
  std::ranges::stable_sort(leaving, std::greater(),
                           [&](std::uint32_t object) { return stats.obj_data[object].walltime; });
  const std::vector<std::int32_t> available = available_ranks(stats);
  WorkState state(stats, goal, placement);
  for (const std::uint32_t object : leaving) {
    std::pair best{std::numeric_limits<double>::infinity(), WorkState::nowhere};
    for (const std::int32_t rank : available) {
      state.place(object, rank);
      if (state.fits(rank)) best = std::min(best, {state.work(rank), rank});
      state.take(object);
    }
    if (best.second == WorkState::nowhere) return {};
    state.place(object, best.second);
  }
  return state.placement();
}

}  // namespace

std::vector<std::int32_t> with_fewer_moves(const LDStats& stats, const WorkGoal& goal, double minimum_work,
                                           std::vector<std::int32_t> placement) {
  if (!goal.limits.limit_moves()) placement = relabel_equal_ranks(stats, goal, std::move(placement));
  WorkState state(stats, goal, placement);
  const double allowed = std::max(state.max_work(), minimum_work);
  const double excess = state.memory_excess();
  for (std::uint32_t object = 0; object < placement.size(); ++object) {
    const std::int32_t home = stats.from_proc[object];
    if (placement[object] == home || has_to_leave(stats, object)) continue;
    state.move(object, home);
    const double work = goal.is_load_only() ? state.work(home) : state.max_work();
    if (work > allowed || !state.fits(home) || state.memory_excess() > excess)
      state.move(object, placement[object]);
  }
  return state.placement();
}

std::optional<std::vector<std::int32_t>> search_clusters(const LDStats& stats, const WorkGoal& goal,
                                                         double minimum_work, std::uint64_t seed,
                                                         std::int64_t steps) {
  PLIMSOLL_EXPECT(stats.n_migrateobjs() == 0 || std::ranges::any_of(stats.procs, &ProcStats::available));
  const std::optional<std::vector<std::int32_t>> start = evacuated(stats, goal);
  if (!start) return {};
  const WorkSummary summary = WorkModel(stats, goal.coefficients, goal.limits).evaluate(*start);
  const double mean_work = summary.sum / static_cast<double>(summary.work.size());
  std::vector<std::int32_t> best = *start;
  Score best_score{goal.score(stats, best)};
  // Anneal a packing or an earlier result at a low temperature, because a high one would undo all of it.
  // Anneal the initial placement at a high temperature too. A packing ignores messages and off-home shared
  // blocks, and may place heavy objects so that only a high temperature migrates them.
  const auto anneal = [&](const std::vector<std::int32_t>& from, double first_work, std::int64_t share) {
    if (best_score <= Score{0, minimum_work * (1 + rounding_error)}) return;
    Annealing annealing(stats, goal, minimum_work, from, seed);
    annealing.run({.steps = steps / share, .first_work = first_work, .last_work = 1e-5 * mean_work});
    // Ignore improvements within rounding errors, which do not justify migrations.
    const Score found = annealing.best_score();
    if (found.first < best_score.first * (1 - rounding_error) ||
        (found.first <= best_score.first && found.second < best_score.second * (1 - rounding_error))) {
      best_score = found;
      best = annealing.best();
    }
  };
  if (!goal.limits.limit_moves())
    if (auto packed = Packing(stats, goal, minimum_work).run())
      anneal(relabel_equal_ranks(stats, goal, std::move(*packed)), warm * mean_work, 2);
  if (best_score > Score{0, near * minimum_work}) anneal(*start, hot * mean_work, 4);
  anneal(best, warm * mean_work, 4);
  return with_fewer_moves(stats, goal, minimum_work, std::move(best));
}

/// Minimises the maximum work per rank (WorkModel) under memory limits, and keeps objects of one shared block
/// together. It migrates and swaps whole clusters of them, and splits clusters if that improves the result.
/// One thread.
class ClusterLB : public Strategy {
 public:
  explicit ClusterLB(const Parameters& parameters)
      : Strategy("ClusterLB", parameters),
        goal_("ClusterLB", parameters),
        seed_(static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"))),
        effort_(parameters.get<std::int64_t>("effort")) {
    goal_.max_blocks = parameters.get<std::int64_t>("max_blocks_per_rank");
    if (goal_.max_blocks < -1)
      throw invalid_parameter("ClusterLB", "max_blocks_per_rank", goal_.max_blocks,
                              "use a number >= 0, or -1 for no limit");
    if (effort_ < 0) throw invalid_parameter("ClusterLB", "effort", effort_, "use a number >= 0");
  }

  void work(LDStats& stats) override {
    ProcArray(stats).require_available();
    const double minimum_work = max_work_lower_bound(stats, goal_.coefficients);
    auto placement = search_clusters(stats, goal_, minimum_work, seed_, effort_);
    if (!placement || !within(goal_.limits, stats, *placement)) throw cannot_evacuate();
    stats.to_proc = std::move(*placement);
  }

  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }

 private:
  WorkGoal goal_;
  std::uint64_t seed_;
  std::int64_t effort_;
};

StrategyInfo cluster_lb_info() {
  std::vector<ParameterSpec> parameters = WorkGoal::parameters();
  parameters.push_back({"max_blocks_per_rank", std::int64_t{-1},
                        "maximum number of distinct shared blocks per rank (-1: no limit)"});
  parameters.push_back({"effort", std::int64_t{2'000'000}, "number of swaps to try (>= 0)"});
  parameters.push_back({"seed", std::int64_t{0}, "random seed"});
  return {.name = "ClusterLB",
          .help =
              "minimises the maximum work per rank under memory limits; keeps objects that share a block "
              "together",
          .parameters = std::move(parameters),
          .make = make_strategy<ClusterLB>,
          .needs = {.memory = true}};
}

}  // namespace plimsoll::balance
