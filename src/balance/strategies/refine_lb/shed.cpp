#include "balance/strategies/refine_lb/shed.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "balance/search/random.hpp"

namespace plimsoll::inline v0_1::balance {

namespace {

using Items = std::vector<RankObjects::Item>;
/// Ranks by their load above (overloaded ranks) or below (underloaded ranks) the target.
using RanksByLoad = std::set<std::pair<double, std::uint32_t>>;

// Minimum fraction of the movable load that justifies a migration, in the first pass; lower in each later
// pass.
constexpr double minimum_share_at_first = 0.75;
constexpr std::size_t n_passes = 6;
// Limits of a search for a swap: number of objects inspected (more give fewer migrations, but take longer),
// and number of underloaded ranks inspected if a partial reduction is sufficient. Both double in each pass,
// because fewer and fewer overloaded ranks are left.
constexpr std::size_t search_width = 2048;
constexpr std::size_t partial_partners = 32;
// Number of ranks tried as receivers of an excess; it also doubles in each pass. The migrated load may exceed
// the excess by the fraction kick_surplus.
constexpr std::size_t kick_partners = 64;
constexpr std::size_t first_pass_with_kicks = 2;
constexpr double kick_surplus = 0.3;
constexpr std::size_t max_exchanges_per_rank = 8;
// Fraction of the maximum room. Ranks whose excess is above this fraction come first, while other ranks still
// have room for that much load.
constexpr double large_donor = 0.5;

/// Swap of one object for a lighter one: positions in the items of both ranks.
struct Exchange {
  std::uint32_t partner = 0;
  std::size_t given = 0;
  std::size_t taken = 0;
  double load = 0;  ///< load that the overloaded rank loses
};

/// Returns the first swap found in which the overloaded rank loses between `minimum` and `maximum`. Both
/// lists must be in ascending order.
std::optional<Exchange> exchange_within(const Items& ours, const Items& theirs, double minimum,
                                        double maximum) {
  std::size_t given = 0;
  for (std::size_t taken = 0; taken < theirs.size(); ++taken) {
    while (given < ours.size() && ours[given].load < theirs[taken].load + minimum) ++given;
    if (given == ours.size()) return {};
    const double load = ours[given].load - theirs[taken].load;
    if (load <= maximum) return Exchange{0, given, taken, load};
  }
  return {};
}

/// Returns the swap in which the overloaded rank loses as much as possible, but at most `maximum`; `load` is
/// 0 if none exists.
Exchange largest_exchange(const Items& ours, const Items& theirs, double maximum) {
  Exchange largest;
  std::size_t beyond = 0;
  for (std::size_t taken = 0; taken < theirs.size(); ++taken) {
    while (beyond < ours.size() && ours[beyond].load <= theirs[taken].load + maximum) ++beyond;
    if (beyond == 0) continue;
    const double load = ours[beyond - 1].load - theirs[taken].load;
    if (load > largest.load) largest = {0, beyond - 1, taken, load};
  }
  return largest;
}

/// Single pass through all overloaded ranks. Each step takes one of them, applies the best available
/// migration, and sorts both ranks by their new load. A rank without any possible migration is skipped until
/// the next pass.
class Pass {
 public:
  Pass(RankObjects& ranks, double target_s, double mean_s, std::size_t number, Random& random)
      : ranks_(ranks),
        random_(random),
        target_s_(target_s),
        mean_s_(mean_s),
        width_(std::size_t{1} << number),
        minimum_share_(minimum_share_at_first / static_cast<double>(width_)),
        kicks_left_(number < first_pass_with_kicks ? 0 : ranks.n_ranks()) {
    for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank)
      if (ranks.available(rank)) insert(rank);
    if (!donors_.empty()) maximum_excess_ = donors_.rbegin()->first;
  }

  /// Runs the pass. Returns whether an overloaded rank was skipped.
  bool run() {
    bool left_out = false;
    while (!donors_.empty() && !receivers_.empty()) {
      const auto donor = next_donor();
      excess_ = donor->first;
      donor_ = donor->second;
      donors_.erase(donor);
      if (!step()) left_out = true;
    }
    return left_out;
  }

 private:
  RanksByLoad::iterator next_donor() const {
    const auto largest = std::prev(donors_.end());
    return largest->first > large_donor * most_room() ? largest : donors_.begin();
  }

  bool step() {
    const Items& items = ranks_.items(donor_);
    // Compute how far the overloaded rank may fall below the target: it shares the room of two ranks with the
    // receiving rank.
    hole_ = 2 * (target_s_ - mean_s_) * ranks_.speed(donor_);
    const auto cure = std::ranges::lower_bound(items, excess_, {}, &RankObjects::Item::load);
    const bool cure_fits = cure != items.end() && cure->load <= most_room();
    if (cure_fits && cure->load - excess_ <= hole_) return give(cure);
    if (cure == items.end() && give_part(items.end(), 0)) return true;
    if (exchanges_left_ > 0 && excess_ <= most_room() && exchange_exactly()) return true;
    const double movable = std::min(excess_, most_room());
    const auto beyond = std::ranges::upper_bound(items, movable, {}, &RankObjects::Item::load);
    if (give_part(beyond, minimum_share_ * movable)) return true;
    if (exchanges_left_ > 0 && exchange_partly(minimum_share_ * movable)) return true;
    if (cure_fits) return give(cure);
    return exchanges_left_ > 0 && kick();
  }

  /// Migrates the item before `beyond` if its load is above `minimum` and it fits on another rank.
  bool give_part(Items::const_iterator beyond, double minimum) {
    if (beyond == ranks_.items(donor_).begin()) return false;
    const auto part = beyond - 1;
    return part->load > minimum && part->load <= most_room() && give(part);
  }

  bool give(Items::const_iterator item) {
    const auto receiver = receivers_.lower_bound({item->load, 0});
    const std::uint32_t taker = receiver->second;
    receivers_.erase(receiver);
    ranks_.move(donor_, static_cast<std::size_t>(item - ranks_.items(donor_).begin()), taker);
    insert(donor_);
    insert(taker);
    return true;
  }

  bool exchange_exactly() {
    const Items& ours = ranks_.items(donor_);
    auto receiver = receivers_.lower_bound({excess_, 0});
    for (std::size_t seen = 0; seen < width_ * search_width && receiver != receivers_.end(); ++receiver) {
      const Items& theirs = ranks_.items(receiver->second);
      seen += ours.size() + theirs.size();
      const auto found = exchange_within(ours, theirs, excess_, std::min(receiver->first, excess_ + hole_));
      if (found) return apply(*found, receiver->second);
    }
    return false;
  }

  bool exchange_partly(double minimum) {
    Exchange best;
    std::size_t partners = 0;
    // NOLINTNEXTLINE(modernize-loop-convert): backwards
    for (auto receiver = receivers_.rbegin(); receiver != receivers_.rend(); ++receiver) {
      const double maximum = std::min(excess_, receiver->first);
      if (maximum <= best.load || ++partners > width_ * partial_partners) break;
      Exchange found = largest_exchange(ranks_.items(donor_), ranks_.items(receiver->second), maximum);
      found.partner = receiver->second;
      if (found.load > best.load) best = found;
    }
    return best.load > minimum && apply(best, best.partner);
  }

  /// Swaps objects with a random rank below the target. The excess moves to that rank, whose other
  /// objects allow further swaps.
  bool kick() {
    for (std::size_t partners = 0; partners < width_ * kick_partners && kicks_left_ > 0; ++partners) {
      --kicks_left_;
      const auto other = static_cast<std::uint32_t>(random_.next() % ranks_.n_ranks());
      const double room = room_of(other);
      if (!ranks_.available(other) || room < 0) continue;
      const double maximum =
          std::min(excess_ + std::max(hole_, kick_surplus * excess_), room + maximum_excess_);
      const auto found = exchange_within(ranks_.items(donor_), ranks_.items(other), excess_, maximum);
      if (found) return apply(*found, other);
    }
    return false;
  }

  bool apply(const Exchange& exchange, std::uint32_t partner) {
    --exchanges_left_;
    receivers_.erase({room_of(partner), partner});
    const RankObjects::Item returned = ranks_.items(partner)[exchange.taken];
    ranks_.move(donor_, exchange.given, partner);
    // Look up the items again: the arrival of an object may have shifted them.
    const Items& theirs = ranks_.items(partner);
    ranks_.move(partner,
                static_cast<std::size_t>(std::ranges::lower_bound(theirs, returned) - theirs.begin()),
                donor_);
    insert(donor_);
    insert(partner);
    return true;
  }

  double room_of(std::uint32_t rank) const { return (target_s_ - ranks_.finish(rank)) * ranks_.speed(rank); }
  double most_room() const { return receivers_.rbegin()->first; }
  void insert(std::uint32_t rank) {
    const double room = room_of(rank);
    if (room < 0) donors_.insert({-room, rank});
    if (room > 0) receivers_.insert({room, rank});
  }

  RankObjects& ranks_;
  Random& random_;
  double target_s_;
  double mean_s_;
  std::size_t width_;
  double minimum_share_;
  double maximum_excess_ = 0;  ///< maximum load above the target at the start of the pass
  std::size_t kicks_left_;
  std::size_t exchanges_left_ = max_exchanges_per_rank * ranks_.n_ranks();
  RanksByLoad donors_;
  RanksByLoad receivers_;
  // Overloaded rank of this step.
  std::uint32_t donor_ = 0;
  double excess_ = 0;
  double hole_ = 0;
};

}  // namespace

void shed_excess(RankObjects& ranks, double target_s, double mean_s) {
  Random random(1);
  for (std::size_t pass = 0; pass < n_passes; ++pass)
    if (!Pass(ranks, target_s, mean_s, pass, random).run()) return;
}

}  // namespace plimsoll::balance
