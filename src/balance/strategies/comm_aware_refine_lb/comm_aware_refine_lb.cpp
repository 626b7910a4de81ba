#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/strategies/builtin.hpp"

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

/// Communication partners of each object, in either direction: migratable objects, non-migratable objects and
/// processors.
class Affinity {
 public:
  struct Partner {
    CommEnd end;
    double cost;  ///< cost on different ranks: bytes + per_message * messages
  };

  /// Throws Error (bad_input) for an edge to an object or processor that does not exist, or with bytes or
  /// messages that are negative or not finite. Cost: O(objects + edges).
  Affinity(const LDStats& stats, double per_message) : begin_(stats.obj_data.size() + 2, 0) {
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

  /// Returns the partners in the order of LDStats::comm_data.
  std::span<const Partner> partners(std::uint32_t object) const {
    return std::span(partners_).subspan(begin_[object], begin_[object + 1] - begin_[object]);
  }

  double total_cost() const { return total_cost_; }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<Partner> partners_;
  double total_cost_ = 0;
};

// Tolerance for rounding errors: a rank above the limit by at most this factor finishes in time.
constexpr double load_rounding = 4e-12;

/// Intermediate placement: the finish time of each rank, and the effect of a migration on communication. No
/// rank that receives an object finishes after `limit_s`.
class CommPlacement {
 public:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  struct Move {
    std::uint32_t to = nowhere;
    double gain = 0;  ///< saved off-rank cost; negative if it increases
  };

  /// Starts with objects at `placement`. The other arguments must outlive this object. Cost: O(objects +
  /// ranks log ranks).
  CommPlacement(const LDStats& stats, const ProcArray& procs, const Affinity& affinity, double limit_s,
                std::vector<std::int32_t> placement)
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

  std::uint32_t n_objects() const { return static_cast<std::uint32_t>(placement_.size()); }
  bool migratable(std::uint32_t object) const { return stats_.obj_data[object].migratable; }
  std::uint32_t rank(std::uint32_t object) const { return static_cast<std::uint32_t>(placement_[object]); }
  double load(std::uint32_t object) const { return stats_.load_s(object); }
  bool available(std::uint32_t rank) const { return procs_.procs[rank].available; }
  /// Returns whether objects have to leave `rank`, because it finishes after the limit or is not available.
  bool has_to_give(std::uint32_t rank) const { return !available(rank) || finish_s_[rank] > give_s_; }
  std::span<const Affinity::Partner> partners(std::uint32_t object) const {
    return affinity_.partners(object);
  }

  /// Returns the migration of an object to the rank with room that has most of its communication. Ties go to
  /// the rank with the most room. If no such rank exists, `gain` is the gain of a migration to any other
  /// rank. Cost: O(partners).
  Move to_partners(std::uint32_t object) {
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

  /// Returns the rank with the most room if the object fits there, else nowhere.
  std::uint32_t roomiest(std::uint32_t object) const {
    return !rooms_.empty() && rooms_.rbegin()->first >= load(object) ? rooms_.rbegin()->second : nowhere;
  }

  /// Returns the migration to the rank where the object would finish first, regardless of room. Cost:
  /// O(ranks).
  Move to_earliest(std::uint32_t object) const {
    const auto earliest = std::ranges::min_element(rooms_, {}, [&](const auto& entry) {
      return finish_s_[entry.second] + load(object) / procs_.procs[entry.second].pe_speed;
    });
    return {.to = earliest->second};
  }

  void apply(std::uint32_t object, std::uint32_t to) {
    change_load(rank(object), -load(object));
    change_load(to, load(object));
    placement_[object] = static_cast<std::int32_t>(to);
  }

  const std::vector<std::int32_t>& placement() const { return placement_; }

 private:
  double room(std::uint32_t rank) const { return (limit_s_ - finish_s_[rank]) * procs_.procs[rank].pe_speed; }
  void change_load(std::uint32_t rank, double load) {
    if (available(rank)) rooms_.erase({room(rank), rank});
    finish_s_[rank] += load / procs_.procs[rank].pe_speed;
    if (available(rank)) rooms_.insert({room(rank), rank});
  }

  const LDStats& stats_;
  const ProcArray& procs_;
  const Affinity& affinity_;
  double limit_s_;
  double give_s_;
  std::vector<std::int32_t> placement_;
  std::vector<double> finish_s_;
  std::set<std::pair<double, std::uint32_t>> rooms_;  ///< available ranks
  std::vector<double> cost_with_;         ///< communication cost of the current object with each rank
  std::vector<std::uint32_t> ranks_met_;  ///< ranks with a value in cost_with_
};

using Move = CommPlacement::Move;

// Number of partners above which an object is re-evaluated only when its turn comes, not whenever a partner
// migrates. Otherwise the partners of a hub would cost the square of their number.
constexpr std::size_t many_partners = 64;
// Maximum number of migrations per object. Without it, tiny savings could prolong the search. No object
// reaches it in practice.
constexpr std::size_t moves_per_object = 4;
// Substitute for a load of 0, which cannot be a divisor.
constexpr double minimum_load = 1e-30;

/// Priority of an object's migration. Migrations to partners come first: an object without partners at its
/// destination starts a new group, and many small groups are not compact. Ties go to the heavier object.
struct Worth {
  bool is_to_partners = false;
  double gain = -std::numeric_limits<double>::infinity();
  double load = 0;
  friend auto operator<=>(const Worth&, const Worth&) = default;
};

using Queue = std::priority_queue<std::pair<Worth, std::uint32_t>>;

/// Returns the weight of a gain for an object that has to leave an overfull rank. A larger load increases the
/// weight of a gain and decreases the weight of a loss.
double gain_for_load(double gain, double load) {
  return gain > 0 ? gain * load : gain / load;
}

/// Applies migrations in descending order of value. `value(object)` is the current value, which may be below
/// the queued value. Objects with a value of at most `worthless` stay.
template <typename Value, typename Apply>
void take_all(Queue& queue, const Worth& worthless, const Value& value, const Apply& apply) {
  while (!queue.empty()) {
    const std::uint32_t object = queue.top().second;
    queue.pop();
    const Worth now = value(object);
    if (now <= worthless) continue;
    if (queue.empty() || now >= queue.top().first)
      apply(object);
    else
      queue.push({now, object});
  }
}

template <typename Add>
void look_again_at_partners(const CommPlacement& placement, std::uint32_t object, const Add& add) {
  for (const Affinity::Partner& partner : placement.partners(object))
    if (partner.end.is_object() && placement.migratable(partner.end.index()) &&
        placement.partners(partner.end.index()).size() <= many_partners)
      add(partner.end.index());
}

/// Migrates objects away from overloaded or unavailable ranks, to ranks with room. The next object is always
/// the one that saves most off-rank cost per load, or else adds the smallest cost. If an object migrates to a
/// rank without its partners, their migration to this rank gains priority. Some ranks may stay above the
/// limit. Returns whether any object migrated. Source: the balancer of L. Gottesbueren et al., "Deep
/// Multilevel Graph Partitioning" (ESA 2021).
bool shed_to_partners(CommPlacement& placement) {
  const Worth never;
  Move move;
  const auto value = [&](std::uint32_t object) {
    const bool must = !placement.available(placement.rank(object));
    const double load = placement.load(object);
    if (!must && (load <= 0 || !placement.has_to_give(placement.rank(object)))) return never;
    move = placement.to_partners(object);
    if (move.to != CommPlacement::nowhere)
      return Worth{true, gain_for_load(move.gain, std::max(load, minimum_load)), load};
    move.to = placement.roomiest(object);
    if (!must && move.to == CommPlacement::nowhere) return never;
    return Worth{false, move.gain, load};
  };
  Queue queue;
  const auto add = [&](std::uint32_t object) {
    if (const Worth worth = value(object); worth > never) queue.push({worth, object});
  };
  for (std::uint32_t object = 0; object < placement.n_objects(); ++object)
    if (placement.migratable(object)) add(object);

  bool moved = false;
  take_all(queue, never, value, [&](std::uint32_t object) {
    if (move.to == CommPlacement::nowhere) move = placement.to_earliest(object);
    placement.apply(object, move.to);
    moved = true;
    look_again_at_partners(placement, object, add);
  });
  return moved;
}

/// Migrates objects to partners' ranks with room, in descending order of the saved off-rank cost, as long as
/// any migration saves more than `minimum_gain`. Returns the saved cost.
double gather_partners(CommPlacement& placement, double minimum_gain) {
  const Worth too_little{true, minimum_gain, std::numeric_limits<double>::infinity()};
  Move move;
  const auto value = [&](std::uint32_t object) {
    move = placement.to_partners(object);
    return move.to == CommPlacement::nowhere ? Worth{} : Worth{true, move.gain, placement.load(object)};
  };
  Queue queue;
  const auto add = [&](std::uint32_t object) {
    if (const Worth worth = value(object); worth > too_little) queue.push({worth, object});
  };
  for (std::uint32_t object = 0; object < placement.n_objects(); ++object)
    if (placement.migratable(object)) add(object);

  double saved = 0;
  std::size_t moves_left = moves_per_object * placement.n_objects();
  take_all(queue, too_little, value, [&](std::uint32_t object) {
    if (moves_left == 0) return;
    placement.apply(object, move.to);
    saved += move.gain;
    --moves_left;
    look_again_at_partners(placement, object, add);
  });
  return saved;
}

// Minimum saving of a pass that justifies another one. A first pass may fill ranks and so block migrations
// that are possible later.
constexpr double worthwhile_share = 0.01;
constexpr int max_shedding_passes = 4;

bool any_has_to_give(const CommPlacement& placement, std::size_t n_ranks) {
  for (std::uint32_t rank = 0; rank < n_ranks; ++rank)
    if (placement.available(rank) && placement.has_to_give(rank)) return true;
  return false;
}

/// Lowers the maximum finish time to `tolerance` times the average (or the lower bound, if that is more) with
/// few migrations, and keeps communicating objects together. First, objects that have to leave their rank
/// migrate to partners' ranks with room. Then objects migrate to their partners as long as that reduces
/// off-rank bytes and preserves the balance. Keeps the initial placement unless the result is better. One
/// thread; O((objects + edges) log objects) for objects with few partners. Source: derived from
/// CommAwareRefineLB of Charm++ 6.10, with the gains and queues of graph partitioners
/// instead of its random choices.
class CommAwareRefineLB : public Strategy {
 public:
  explicit CommAwareRefineLB(const Parameters& parameters)
      : Strategy("CommAwareRefineLB", parameters),
        tolerance_(tolerance_of("CommAwareRefineLB", parameters)),
        per_message_(parameters.get<double>("per_message")) {
    if (per_message_ < 0)
      throw invalid_parameter("CommAwareRefineLB", "per_message", per_message_,
                              "set the cost per message in bytes, in addition to its size, e.g. 4000");
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    const Affinity affinity(stats, per_message_);
    const double target_s =
        std::max(tolerance_ * procs.average_load(), finish_time_bound(stats, procs).time_s);
    // Use a slightly lower limit if the initial placement is within the target, so that rounding errors do
    // not lift it above the target. Otherwise ranks may finish exactly at the target.
    const double limit_s = target_s * (procs.max_load() > target_s ? 1 + rounding_error : 1 - rounding_error);

    CommPlacement shed(stats, procs, affinity, limit_s, stats.from_proc);
    for (int pass = 0; pass < max_shedding_passes && shed_to_partners(shed); ++pass) {
    }
    std::vector<std::int32_t> placement = shed.placement();
    if (any_has_to_give(shed, procs.procs.size())) {
      // Swaps find improvements that single migrations miss.
      Placement levelled(stats, procs, std::move(placement));
      level_by_exchange(levelled, limit_s);
      placement = levelled.assignment();
    }
    CommPlacement gathered(stats, procs, affinity, limit_s, std::move(placement));
    const double total = affinity.total_cost();
    for (int pass = 0; pass < max_shedding_passes; ++pass)
      if (gather_partners(gathered, rounding_error * total) <= worthwhile_share * total) break;
    stats.to_proc = gathered.placement();
    keep_start_unless_better(*this, procs, stats);
  }

  /// Returns communication_score(), in which each message counts for `per_message` additional bytes.
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    Score score = communication_score(stats, placement, tolerance_);
    score.second += per_message_ * static_cast<double>(rank_traffic(stats, placement).off_rank_messages());
    return score;
  }

 private:
  double tolerance_;
  double per_message_;
};

}  // namespace

StrategyInfo comm_aware_refine_lb_info() {
  return {"CommAwareRefineLB",
          "balances within a tolerance with few migrations; keeps communicating objects close together",
          {{"tolerance", 1.05, "target maximum load relative to the average (>= 1)"},
           {"per_message", 0.001, "cost per message in bytes, in addition to its size (>= 0)"}},
          make_strategy<CommAwareRefineLB>,
          {.numbers = false},
          {{"RefineCommLB"}, {"GreedyCommLB"}}};
}

}  // namespace plimsoll::balance
