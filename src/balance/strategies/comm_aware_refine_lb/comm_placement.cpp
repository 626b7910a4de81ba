#include "balance/strategies/comm_aware_refine_lb/comm_placement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

void check(const LDStats& stats, std::size_t edge) {
  const LDCommData& comm = stats.comm_data[edge];
  for (const CommEnd end : {comm.sender, comm.receiver}) {
    const std::size_t n_ends = end.is_object() ? stats.obj_data.size() : stats.procs.size();
    if (end.index() >= n_ends)
      throw support::bad_input(fmt::format("edge {0} refers to {1} {2}, but LDStats has only {3} {1}s", edge,
                                           end.is_object() ? "object" : "processor", end.index(), n_ends));
  }
  if (!(std::isfinite(comm.bytes) && comm.bytes >= 0) || comm.messages < 0)
    throw support::bad_input(fmt::format("invalid edge {}: {} bytes, {} messages; both must be >= 0", edge,
                                         comm.bytes, comm.messages));
}

}  // namespace

Affinity::Affinity(const LDStats& stats, double per_message) : begin_(stats.obj_data.size() + 2, 0) {
  // Use counting sort: begin_[v + 2] counts v's partners; after summation, begin_[v + 1] is the position of
  // v's next partner.
  for (std::size_t edge = 0; edge < stats.comm_data.size(); ++edge) {
    check(stats, edge);
    const LDCommData& comm = stats.comm_data[edge];
    if (comm.sender == comm.receiver) continue;
    for (const CommEnd end : {comm.sender, comm.receiver})
      if (end.is_object()) ++begin_[end.index() + 2];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  partners_.resize(begin_.back(), Partner{CommEnd::object(0), 0});
  for (const LDCommData& comm : stats.comm_data) {
    if (comm.sender == comm.receiver) continue;
    const double cost = comm.bytes + per_message * static_cast<double>(comm.messages);
    total_cost_ += cost;
    if (comm.sender.is_object()) partners_[begin_[comm.sender.index() + 1]++] = {comm.receiver, cost};
    if (comm.receiver.is_object()) partners_[begin_[comm.receiver.index() + 1]++] = {comm.sender, cost};
  }
  begin_.pop_back();
  // Reject infinite costs: their differences are NaN, which no queue can order.
  if (!std::isfinite(total_cost_))
    throw support::usage_error("the sum of the communication costs is not finite",
                               "use a smaller per_message");
}

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
