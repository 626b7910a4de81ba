#include "balance/search/comm_placement.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Tolerance for rounding errors: a rank above the limit by at most this factor finishes in time.
constexpr double load_rounding = 4e-12;

}  // namespace

CommPlacement::CommPlacement(const LDStats& stats, const ProcArray& procs, const Affinity& affinity,
                             const CommGoal& goal, std::vector<std::int32_t> placement)
    : stats_(stats),
      procs_(procs),
      affinity_(affinity),
      goal_(goal),
      placement_(std::move(placement)),
      finish_s_(finish_times(stats, placement_)),
      rooms_(procs.procs.size()),
      cost_with_(procs.procs.size(), -1.0) {
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    if (available(rank)) rooms_.set(rank, room(rank));
}

bool CommPlacement::has_to_give(std::uint32_t rank) const {
  return !available(rank) || finish_s_[rank] > goal_.limit_s * (1 + load_rounding);
}

bool CommPlacement::any_has_to_give() const {
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    if (available(rank) && has_to_give(rank)) return true;
  return false;
}

Score CommPlacement::score() const {
  Score score;
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    if (available(rank) && has_to_give(rank))
      score.first = std::max(score.first, finish_s_[rank] - goal_.limit_s);
  for (std::uint32_t object = 0; object < n_objects(); ++object) {
    score.second += price(object, rank(object));
    // The edge between two objects is in the rows of both.
    for (const Affinity::Partner& partner : partners(object))
      if (rank(partner) != rank(object))
        score.second += partner.end.is_object() ? partner.cost / 2 : partner.cost;
  }
  return score;
}

std::uint32_t CommPlacement::earliest(std::uint32_t object) const {
  std::uint32_t best = nowhere;
  double best_s = std::numeric_limits<double>::infinity();
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank) {
    const double finish_s = finish_s_[rank] + load(object) / procs_.procs[rank].pe_speed;
    if (!available(rank) || finish_s >= best_s) continue;
    best = rank;
    best_s = finish_s;
  }
  return best;
}

void CommPlacement::apply(std::uint32_t object, std::uint32_t to) {
  change_load(rank(object), -load(object));
  change_load(to, load(object));
  placement_[object] = static_cast<std::int32_t>(to);
}

void CommPlacement::change_load(std::uint32_t rank, double load) {
  finish_s_[rank] += load / procs_.procs[rank].pe_speed;
  if (available(rank)) rooms_.set(rank, room(rank));
}

}  // namespace plimsoll::balance
