#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/comm_aware_refine_lb/comm_placement.hpp"
#include "balance/strategies/delegate.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Lowers the maximum finish time to `tolerance` times the average (or the lower bound, if that is more) with
/// few migrations, and keeps communicating objects together. First, objects that have to leave their rank
/// migrate to partners' ranks with room. Then objects migrate to their partners as long as that reduces
/// off-rank bytes and preserves the balance. Keeps the initial placement unless the result is better. One
/// thread; O((objects + edges) log objects) for objects with few partners. Source: derived from
/// CommAwareRefineLB of Charm++ 6.10, with the gains and queues of graph partitioners
/// instead of its random choices.
class CommAwareRefineLB : public Strategy {
 public:
  explicit CommAwareRefineLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  /// Returns communication_score(), in which each message counts for `per_message` additional bytes.
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override;

 private:
  double tolerance_;
  double per_message_;
};

namespace {

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

/// Queue of objects by the priority of their migration. A queued priority may be out of date.
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

/// Queues the partners of a migrated object again.
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
constexpr int max_passes = 4;

/// Lowers the maximum finish time by swaps, which find improvements that single migrations miss.
std::vector<std::int32_t> level(const LDStats& stats, const ProcArray& procs,
                                const std::vector<std::int32_t>& placement, double limit_s) {
  Placement levelled(stats, procs, placement);
  level_by_exchange(levelled, limit_s);
  return levelled.assignment();
}

bool any_has_to_give(const CommPlacement& placement, std::size_t n_ranks) {
  for (std::uint32_t rank = 0; rank < n_ranks; ++rank)
    if (placement.available(rank) && placement.has_to_give(rank)) return true;
  return false;
}

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

CommAwareRefineLB::CommAwareRefineLB(const Parameters& parameters)
    : Strategy("CommAwareRefineLB", parameters),
      tolerance_(tolerance_of("CommAwareRefineLB", parameters)),
      per_message_(parameters.get<double>("per_message")) {
  if (per_message_ < 0)
    throw invalid_parameter("CommAwareRefineLB", "per_message", per_message_,
                            "set the cost per message in bytes, in addition to its size, e.g. 4000");
}

Score CommAwareRefineLB::score(const LDStats& stats, std::span<const std::int32_t> placement) const {
  Score score = communication_score(stats, placement, tolerance_);
  score.second += per_message_ * static_cast<double>(rank_traffic(stats, placement).off_rank_messages());
  return score;
}

void CommAwareRefineLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  const Affinity affinity(stats, per_message_);
  const double target_s = std::max(tolerance_ * procs.average_load(), lower_bound(stats, procs).time_s);
  // Use a slightly lower limit if the initial placement is within the target, so that rounding errors do not
  // lift it above the target. Otherwise ranks may finish exactly at the target.
  const double limit_s = target_s * (procs.max_load() > target_s ? 1 + rounding_error : 1 - rounding_error);

  CommPlacement shed(stats, procs, affinity, limit_s, stats.from_proc);
  for (int pass = 0; pass < max_passes && shed_to_partners(shed); ++pass) {
  }
  CommPlacement gathered(stats, procs, affinity, limit_s,
                         any_has_to_give(shed, procs.procs.size())
                             ? level(stats, procs, shed.placement(), limit_s)
                             : shed.placement());
  const double total = affinity.total_cost();
  for (int pass = 0; pass < max_passes; ++pass)
    if (gather_partners(gathered, rounding_error * total) <= worthwhile_share * total) break;
  stats.to_proc = gathered.placement();
  keep_start_unless_better(*this, procs, stats);
}

}  // namespace plimsoll::balance
