#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "balance/search/placement.hpp"
#include "balance/search/random.hpp"
#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

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
            std::uint64_t seed);

  /// Runs the annealing. Cost: O(steps (objects per rank + edges per object)).
  void run(const Schedule& schedule);
  /// Returns the best placement so far, including the initial one.
  const std::vector<std::int32_t>& best() const { return best_; }
  const Score& best_score() const { return best_score_; }

 private:
  using Objects = std::vector<std::uint32_t>;

  void step();
  std::int32_t partner_rank(std::uint32_t object, std::int32_t rank);
  void gather_piece(std::uint32_t object, Objects& piece) const;
  void try_exchange(std::int32_t rank, std::int32_t other);
  bool may_exchange_loads(std::int32_t rank, std::int32_t other);
  bool accept(double change);
  void move_all(const Objects& objects, std::int32_t rank);
  void move(std::uint32_t object, std::int32_t rank);
  bool within_budget() const;
  double energy() const;
  void keep_if_best();
  std::uint32_t below(std::size_t count) {
    return static_cast<std::uint32_t>((random_.next() >> 32) * count >> 32);
  }
  const Objects& objects_on(std::int32_t rank) const { return objects_.on(static_cast<std::size_t>(rank)); }

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

}  // namespace plimsoll::balance
