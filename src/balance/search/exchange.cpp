#include "balance/search/exchange.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "balance/search/rounding_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr int max_partners = 32;
constexpr std::size_t max_exchanges_per_rank = 16;

struct Exchange {
  std::uint32_t partner = 0;
  std::size_t given = 0;             ///< position in the items of `late`
  std::optional<std::size_t> taken;  ///< position in the items of `partner`; empty for a migration
  double later_finish_s = std::numeric_limits<double>::infinity();  ///< later of the two finish times
};

/// Returns the swap between `late` and `partner` that minimises the later of the two finish times.
Exchange best_exchange(RankObjects& ranks, std::uint32_t late, std::uint32_t partner, double target_s) {
  const std::vector<RankObjects::Item>& ours = ranks.items(late);
  const std::vector<RankObjects::Item>& theirs = ranks.items(partner);
  const double our_speed = ranks.speed(late);
  const double their_speed = ranks.speed(partner);
  // Compute the load whose migration makes both ranks finish at the same time.
  const double ideal =
      (ranks.finish(late) - ranks.finish(partner)) * our_speed * their_speed / (our_speed + their_speed);

  Exchange best;
  best.partner = partner;
  const auto consider = [&](std::size_t given, std::optional<std::size_t> taken) {
    const double load = ours[given].load - (taken ? theirs[*taken].load : 0);
    if (load <= 0) return;
    const double later =
        std::max(ranks.finish(late) - load / our_speed, ranks.finish(partner) + load / their_speed);
    if (later < best.later_finish_s) best = {partner, given, taken, later};
  };
  // For each object to receive, beginning with none (a migration), find the two objects nearest to the ideal
  // difference. Both lists ascend.
  std::size_t given = 0;
  const auto consider_around = [&](double wanted, std::optional<std::size_t> taken) {
    while (given < ours.size() && ours[given].load < wanted) ++given;
    if (given < ours.size()) consider(given, taken);
    if (given > 0) consider(given - 1, taken);
  };
  consider_around(ideal, {});
  if (best.later_finish_s <= target_s) return best;  // a migration suffices and costs less than a swap
  for (std::size_t taken = 0; taken < theirs.size(); ++taken)
    consider_around(theirs[taken].load + ideal, taken);
  return best;
}

}  // namespace

void level_by_exchange(RankObjects& ranks, double target_s) {
  std::set<std::pair<double, std::uint32_t>> by_finish;
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank)
    if (ranks.available(rank)) by_finish.insert({ranks.finish(rank), rank});

  for (std::size_t left = max_exchanges_per_rank * by_finish.size(); left > 0; --left) {
    const auto [latest_s, late] = *by_finish.rbegin();
    if (latest_s <= target_s) return;
    Exchange best;
    int partners = 0;
    for (const auto& [finish_s, partner] : by_finish) {
      if (partner == late || ++partners > max_partners) break;
      const Exchange found = best_exchange(ranks, late, partner, target_s);
      if (found.later_finish_s < best.later_finish_s) best = found;
      if (best.later_finish_s <= target_s) break;
    }
    if (best.later_finish_s >= latest_s * (1 - rounding_error)) return;

    by_finish.erase({latest_s, late});
    by_finish.erase({ranks.finish(best.partner), best.partner});
    const std::optional<std::size_t> taken = best.taken;
    const RankObjects::Item returned = taken ? ranks.items(best.partner)[*taken] : RankObjects::Item{};
    ranks.move(late, best.given, best.partner);
    if (taken) {
      // Look up the position again: the arrival may have shifted it.
      const auto& theirs = ranks.items(best.partner);
      ranks.move(best.partner, std::ranges::lower_bound(theirs, returned) - theirs.begin(), late);
    }
    by_finish.insert({ranks.finish(late), late});
    by_finish.insert({ranks.finish(best.partner), best.partner});
  }
}

}  // namespace plimsoll::balance
