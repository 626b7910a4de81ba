#include "balance/search/comm_moves.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Move = CommPlacement::Move;

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
    if (move.to == CommPlacement::nowhere) move.to = placement.earliest(object);
    placement.apply(object, move.to);
    moved = true;
    look_again_at_partners(placement, object, add);
  });
  return moved;
}

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

}  // namespace plimsoll::balance
