#include "balance/search/comm_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "balance/search/border_shift.hpp"
#include "balance/search/comm_moves.hpp"
#include "balance/search/hill_climbing.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/search/transfers.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

class CommSearch {
 public:
  CommSearch(const LDStats& stats, const ProcArray& procs, const Affinity& affinity, const CommGoal& goal)
      : stats_(stats), procs_(procs), affinity_(affinity), goal_(goal) {}

  /// Returns the best placement found.
  std::vector<std::int32_t> run() const {
    std::vector<Candidate> starts = balanced_starts();
    std::ranges::stable_sort(starts, {}, &Candidate::score);
    Candidate best = climbed(std::move(starts.front().placement));
    for (auto start = starts.begin() + 1; start != starts.end() && start->score < best.score; ++start)
      if (Candidate other = climbed(std::move(start->placement)); other.score < best.score)
        best = std::move(other);
    return best.placement;
  }

 private:
  // Minimum saving of a pass that justifies another one. A first pass may fill ranks and so block migrations
  // that are possible later.
  static constexpr double worthwhile_share = 0.01;
  static constexpr int max_passes = 4;
  // Share of the room between average and limit that ranks keep for the search by hill climbing.
  static constexpr double spare_share = 0.5;
  // Numbers of ranks through which an excess passes at most. The costs decide between few migrations (0:
  // objects migrate directly to the ranks with most room) and borders that stay where they are.
  static constexpr std::size_t passed_ranks[] = {0, 1, 2, 8};

  struct Candidate {
    Score score;
    std::vector<std::int32_t> placement;
  };

  CommPlacement placed(std::vector<std::int32_t> placement) const {
    return CommPlacement(stats_, procs_, affinity_, goal_, std::move(placement));
  }

  std::vector<Candidate> balanced_starts() const {
    const CommPlacement present = placed(stats_.from_proc);
    if (!present.any_has_to_give() && !procs_.must_evacuate()) return {gathered(stats_.from_proc)};
    if (affinity_.total_cost() == 0) return {gathered(balanced(0, 0))};
    std::vector<Candidate> starts;
    for (const std::size_t distance : passed_ranks)
      starts.push_back(gathered(balanced(distance, spare_share)));
    return starts;
  }

  /// Returns a placement in which no rank finishes after the limit, if the search finds one.
  std::vector<std::int32_t> balanced(std::size_t distance, double share_to_spare) const {
    // Omit the cost of a migration, because some object has to leave anyway.
    const double spare_s = share_to_spare * std::max(0.0, goal_.limit_s - procs_.average_load());
    const CommGoal spare{goal_.limit_s - spare_s, 0};
    CommPlacement placement(stats_, procs_, affinity_, spare, stats_.from_proc);
    if (distance > 0) shift_borders(placement, plan_transfers(placement, distance));
    shed(placement);
    CommPlacement without_spare = placed(placement.placement());
    if (!without_spare.any_has_to_give()) return without_spare.placement();
    shed(without_spare);
    if (!without_spare.any_has_to_give()) return without_spare.placement();
    // Swaps find improvements that single migrations miss.
    Placement levelled(stats_, procs_, without_spare.placement());
    level_by_exchange(levelled, goal_.limit_s);
    return levelled.assignment();
  }

  static void shed(CommPlacement& placement) {
    for (int pass = 0; pass < max_passes && shed_to_partners(placement); ++pass) {
    }
  }

  Candidate gathered(std::vector<std::int32_t> start) const {
    CommPlacement placement = placed(std::move(start));
    const double total = affinity_.total_cost();
    for (int pass = 0; pass < max_passes; ++pass)
      if (gather_partners(placement, rounding_error * total) <= worthwhile_share * total) break;
    return {placement.score(), placement.placement()};
  }

  Candidate climbed(std::vector<std::int32_t> start) const {
    CommPlacement placement = placed(std::move(start));
    climb_hills(placement);
    return {placement.score(), placement.placement()};
  }

  const LDStats& stats_;
  const ProcArray& procs_;
  const Affinity& affinity_;
  CommGoal goal_;
};

}  // namespace

std::vector<std::int32_t> search_placement(const LDStats& stats, const ProcArray& procs,
                                           const Affinity& affinity, const CommGoal& goal) {
  return CommSearch(stats, procs, affinity, goal).run();
}

}  // namespace plimsoll::balance
