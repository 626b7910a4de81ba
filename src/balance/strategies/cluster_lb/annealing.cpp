#include "balance/strategies/cluster_lb/annealing.hpp"

#include <algorithm>
#include <cmath>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

Annealing::Annealing(const LDStats& stats, const WorkGoal& goal, double level,
                     std::span<const std::int32_t> start, std::uint64_t seed)
    : stats_(stats),
      goal_(goal),
      level_(level),
      state_(stats, goal, start),
      random_(seed),
      objects_(stats.procs.size(), start.size()),
      block_of_(start.size(), ObjMemory::no_block),
      objects_of_block_(stats.blocks.size()),
      best_(start.begin(), start.end()) {
  state_.set_level(level);
  for (std::size_t object = 0; object < stats.memory.size(); ++object)
    block_of_[object] = stats.memory[object].block;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank)
    if (stats.procs[static_cast<std::size_t>(rank)].available) available_.push_back(rank);
  for (std::uint32_t object = 0; object < start.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    PLIMSOLL_EXPECT(stats.procs[static_cast<std::size_t>(start[object])].available);
    migratable_.push_back(object);
    objects_.add(object, static_cast<std::size_t>(start[object]));
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

double Annealing::energy() const {
  return state_.unevenness() + (excess_weight_ > 0 ? excess_weight_ * state_.memory_excess() : 0);
}

void Annealing::run(const Schedule& schedule) {
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

void Annealing::keep_if_best() {
  const Score score{state_.memory_excess(), state_.max_work()};
  if (!(score < best_score_)) return;
  best_score_ = score;
  best_ = state_.placement();
}

std::int32_t Annealing::partner_rank(std::uint32_t object, std::int32_t rank) {
  const std::uint64_t choice = below(4);
  const auto edges = state_.edges(object);
  std::int32_t partner = rank;
  if (choice == 0 && !edges.empty()) partner = state_.rank_of(edges[below(edges.size())].other);
  if (choice == 1 && block_of_[object] != ObjMemory::no_block) {
    const Objects& mates = objects_of_block_[block_of_[object]];
    partner = state_.rank_of(mates[below(mates.size())]);
  }
  if (partner == rank || !stats_.procs[static_cast<std::size_t>(partner)].available)
    partner = available_[below(available_.size())];
  return partner;
}

void Annealing::gather_piece(std::uint32_t object, Objects& piece) const {
  const std::uint32_t block = block_of_[object];
  if (block == ObjMemory::no_block) {
    piece.push_back(object);
    return;
  }
  for (const std::uint32_t mate : objects_on(state_.rank_of(object)))
    if (block_of_[mate] == block) piece.push_back(mate);
}

void Annealing::step() {
  const std::uint32_t object = migratable_[below(migratable_.size())];
  const std::int32_t rank = state_.rank_of(object);
  const std::int32_t other = partner_rank(object, rank);
  if (other == rank) return;
  given_.clear();
  taken_.clear();
  const std::uint64_t kind = below(8);
  const bool pieces = kind >= 6;
  if (pieces)
    gather_piece(object, given_);
  else
    given_.push_back(object);
  if (kind % 2 == 1 && !objects_on(other).empty()) {
    const std::uint32_t back = objects_on(other)[below(objects_on(other).size())];
    if (pieces)
      gather_piece(back, taken_);
    else
      taken_.push_back(back);
  }
  try_exchange(rank, other);
}

bool Annealing::accept(double change) {
  return change <= 0 || random_.uniform() < std::exp(-change / temperature_);
}

/// Rejects most swaps before applying them, if the work depends only on loads.
bool Annealing::may_exchange_loads(std::int32_t rank, std::int32_t other) {
  double load = 0;
  for (const std::uint32_t object : given_) load -= static_cast<double>(stats_.obj_data[object].walltime);
  for (const std::uint32_t object : taken_) load += static_cast<double>(stats_.obj_data[object].walltime);
  const double here = state_.work(rank) - level_;
  const double there = state_.work(other) - level_;
  const double here_after = here + state_.slope(rank) * load;
  const double there_after = there - state_.slope(other) * load;
  return accept(here_after * here_after + there_after * there_after - here * here - there * there);
}

void Annealing::try_exchange(std::int32_t rank, std::int32_t other) {
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

bool Annealing::within_budget() const {
  return n_moved_ <= goal_.limits.max_moves && moved_bytes_ <= goal_.limits.max_moved_bytes;
}

void Annealing::move_all(const Objects& objects, std::int32_t rank) {
  for (const std::uint32_t object : objects) move(object, rank);
}

void Annealing::move(std::uint32_t object, std::int32_t rank) {
  const std::int32_t from = state_.rank_of(object);
  const std::int32_t home = stats_.from_proc[object];
  if (from == home) {
    ++n_moved_;
    moved_bytes_ += stats_.migration_bytes(object);
  } else if (rank == home) {
    --n_moved_;
    moved_bytes_ -= stats_.migration_bytes(object);
  }
  objects_.move(object, static_cast<std::size_t>(from), static_cast<std::size_t>(rank));
  state_.move(object, rank);
}

}  // namespace plimsoll::balance
