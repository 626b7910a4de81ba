#include "balance/strategies/comm_aware_refine_lb/comm_placement.hpp"

#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Tolerance for rounding errors: a rank above the limit by at most this factor finishes in time.
constexpr double load_rounding = 4e-12;

}  // namespace

CommPlacement::CommPlacement(const LDStats& stats, const ProcArray& procs, const Affinity& affinity,
                             double limit_s, std::vector<std::int32_t> placement)
    : stats_(stats),
      procs_(procs),
      affinity_(affinity),
      limit_s_(limit_s),
      give_s_(limit_s * (1 + load_rounding)),
      placement_(std::move(placement)),
      finish_s_(finish_times(stats, placement_)),
      cost_with_(procs.procs.size(), -1.0) {
  for (std::uint32_t rank = 0; rank < finish_s_.size(); ++rank)
    if (available(rank)) rooms_.insert({room(rank), rank});
}

CommPlacement::Move CommPlacement::to_partners(std::uint32_t object) {
  const std::uint32_t here = rank(object);
  // Use -1 for ranks not visited yet: costs are >= 0.
  cost_with_[here] = 0;
  for (const Affinity::Partner& partner : partners(object)) {
    const std::uint32_t there = partner.end.is_object() ? rank(partner.end.index()) : partner.end.index();
    if (cost_with_[there] < 0) {
      cost_with_[there] = 0;
      ranks_met_.push_back(there);
    }
    cost_with_[there] += partner.cost;
  }

  Move best;
  for (const std::uint32_t there : ranks_met_) {
    const double gain = cost_with_[there] - cost_with_[here];
    cost_with_[there] = -1;
    if (!available(there) || room(there) < load(object)) continue;
    if (best.to == nowhere || gain > best.gain || (gain == best.gain && room(there) > room(best.to)))
      best = {there, gain};
  }
  if (best.to == nowhere) best.gain = -cost_with_[here];
  cost_with_[here] = -1;
  ranks_met_.clear();
  return best;
}

std::uint32_t CommPlacement::roomiest(std::uint32_t object) const {
  return !rooms_.empty() && rooms_.rbegin()->first >= load(object) ? rooms_.rbegin()->second : nowhere;
}

CommPlacement::Move CommPlacement::to_earliest(std::uint32_t object) {
  Move earliest;
  double earliest_s = 0;
  for (const auto& [room_there, there] : rooms_) {
    const double finish_s = finish_s_[there] + load(object) / procs_.procs[there].pe_speed;
    if (earliest.to != nowhere && finish_s >= earliest_s) continue;
    earliest.to = there;
    earliest_s = finish_s;
  }
  return earliest;
}

void CommPlacement::apply(std::uint32_t object, std::uint32_t to) {
  change_load(rank(object), -load(object));
  change_load(to, load(object));
  placement_[object] = static_cast<std::int32_t>(to);
}

void CommPlacement::change_load(std::uint32_t rank, double load) {
  if (available(rank)) rooms_.erase({room(rank), rank});
  finish_s_[rank] += load / procs_.procs[rank].pe_speed;
  if (available(rank)) rooms_.insert({room(rank), rank});
}

}  // namespace plimsoll::balance
