#include "balance/strategies/comm_aware_refine_lb/comm_moves.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace plimsoll::inline v0_1::balance {

namespace {

using Move = CommPlacement::Move;

// An object of more partners is looked at anew only when its turn comes, not whenever a partner moves:
// otherwise the partners of a hub would cost the square of their number.
constexpr std::size_t many_partners = 64;
// Savings that are too small to matter could go on for long; no object moves so often in practice.
constexpr std::size_t moves_per_object = 4;
// Stands for no load, which can't be divided by.
constexpr double least_load = 1e-30;

/// How much the move of an object is wanted. To partners first: where objects without any go is the seed of a
/// group, and too many seeds make no compact groups. Of equals the heavier object.
struct Worth {
  bool is_to_partners = false;
  double gain = -std::numeric_limits<double>::infinity();
  double load = 0;
  friend auto operator<=>(const Worth&, const Worth&) = default;
};

/// Objects by the worth of their move, which may be out of date.
using Queue = std::priority_queue<std::pair<Worth, std::uint32_t>>;

/// How much of a gain counts for an object that has to leave an overfull rank: a gain more if much load goes
/// with it, a loss less.
double gain_for_load(double gain, double load) {
  return gain > 0 ? gain * load : gain / load;
}

/// Takes one object after the other, the one whose move is worth most first. `value(object)` is what it is
/// worth now, which may be less than when it was put in; what is worth no more than `worthless` is left.
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

/// Puts back the partners of an object that moved.
template <typename Add>
void look_again_at_partners(const CommPlacement& placement, std::uint32_t object, const Add& add) {
  for (const Affinity::Partner& partner : placement.partners(object))
    if (partner.end.is_object() && placement.migratable(partner.end.index()) &&
        placement.partners(partner.end.index()).size() <= many_partners)
      add(partner.end.index());
}

}  // namespace

bool shed_to_partners(CommPlacement& placement) {
  const Worth never;
  Move move;
  const auto value = [&](std::uint32_t object) {
    const bool must = !placement.available(placement.rank(object));
    const double load = placement.load(object);
    if (!must && (load <= 0 || !placement.has_to_give(placement.rank(object)))) return never;
    move = placement.to_partners(object);
    if (move.to != CommPlacement::nowhere)
      return Worth{true, gain_for_load(move.gain, std::max(load, least_load)), load};
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

double gather_partners(CommPlacement& placement, double least_gain) {
  const Worth too_little{true, least_gain, std::numeric_limits<double>::infinity()};
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

}  // namespace plimsoll::balance
