#include "balance/limits/move_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "balance/limits/score_tracker.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Number of partners above which an object is evaluated again only when its turn comes, not whenever a
// partner returns. Otherwise the partners of a hub would cost the square of their number.
constexpr std::size_t partners_of_hub = 64;

template <typename Value>
using Lowest = std::priority_queue<Value, std::vector<Value>, std::greater<>>;

/// Takes back all migrations of a placement, the least needed first.
class TakeBack {
 public:
  TakeBack(const LDStats& stats, const ScoreTerms& terms, const std::vector<std::int32_t>& placement,
           MoveCost cost)
      : stats_(stats),
        cost_(cost),
        tracker_(stats, terms, placement),
        maxima_(tracker_.maxima()),
        planned_load_(tracker_.score().first + rounding_error) {
    for (std::uint32_t object = 0; object < placement.size(); ++object) {
      if (placement[object] == stats.from_proc[object]) continue;
      const bool must_leave = !stats.procs[at(stats.from_proc[object])].available;
      (must_leave ? evacuated_ : away_).push_back(object);
    }
  }

  std::vector<std::uint32_t> most_needed_first() {
    if (tracker_.weighs_traffic()) by_traffic();
    by_load();
    taken_back_.insert(taken_back_.end(), evacuated_.rbegin(), evacuated_.rend());
    std::ranges::reverse(taken_back_);
    return std::move(taken_back_);
  }

 private:
  std::int32_t home(std::uint32_t object) const { return stats_.from_proc[object]; }
  bool is_away(std::uint32_t object) const { return tracker_.placement()[object] != home(object); }

  double size(std::uint32_t object) const {
    if (cost_ == MoveCost::moves) return 1;
    return std::max(stats_.migration_bytes(object), std::numeric_limits<double>::min());
  }

  void take_back(std::uint32_t object) {
    tracker_.move(object, home(object));
    taken_back_.push_back(object);
  }

  /// Returns the maximum load if the object returns now, and the other ranks stay as planned.
  double load_with(std::uint32_t object) const { return tracker_.load_with(object, home(object), maxima_); }

  /// Takes back migrations by saved traffic, as long as the load stays as planned or balanced.
  void by_traffic() {
    using Entry = std::pair<double, std::uint32_t>;
    const auto saving = [&](std::uint32_t object) {
      const double added = tracker_.added_traffic(object, home(object));
      return added > 0 ? added / size(object) : added;
    };
    Lowest<Entry> queue;
    for (const std::uint32_t object : away_) queue.push({saving(object), object});
    std::vector<Lowest<Entry>> waiting(stats_.procs.size());  // objects too heavy for their rank, by load
    while (!queue.empty()) {
      const auto [queued, object] = queue.top();
      queue.pop();
      if (!is_away(object)) continue;
      if (const double now = saving(object); now > queued) {
        queue.push({now, object});
        continue;
      }
      if (load_with(object) > planned_load_) {
        waiting[at(home(object))].push({stats_.load_s(object), object});
        continue;
      }
      const std::int32_t left = tracker_.placement()[object];
      take_back(object);
      for (const Affinity::Partner& partner : tracker_.partners(object)) {
        if (!partner.end.is_object()) continue;
        const std::uint32_t other = partner.end.index();
        if (is_away(other) && tracker_.partners(other).size() <= partners_of_hub)
          queue.push({saving(other), other});
      }
      // The rank that lost the object may have room for others.
      Lowest<Entry>& objects = waiting[at(left)];
      while (!objects.empty() && load_with(objects.top().second) <= planned_load_) {
        const std::uint32_t other = objects.top().second;
        objects.pop();
        if (is_away(other)) queue.push({saving(other), other});
      }
    }
  }

  /// Takes back migrations by load.
  void by_load() {
    std::vector<std::vector<std::uint32_t>> of_rank(stats_.procs.size());  // the last returns first
    for (const std::uint32_t object : away_)
      if (is_away(object)) of_rank[at(home(object))].push_back(object);
    for (std::vector<std::uint32_t>& objects : of_rank) {
      std::vector<std::pair<double, std::uint32_t>> by_size;
      by_size.reserve(objects.size());
      for (const std::uint32_t object : objects) by_size.emplace_back(need(object), object);
      std::ranges::sort(by_size, std::greater<>());
      for (std::size_t k = 0; k < objects.size(); ++k) objects[k] = by_size[k].second;
    }
    using Entry = std::pair<double, std::int32_t>;
    Lowest<Entry> queue;
    const auto add = [&](std::int32_t rank) {
      if (!of_rank[at(rank)].empty()) queue.push({load_with(of_rank[at(rank)].back()), rank});
    };
    for (std::int32_t rank = 0; rank < stats_.count(); ++rank) add(rank);
    // Entries of ranks whose load has changed since are outdated.
    while (!queue.empty()) {
      const auto [queued, rank] = queue.top();
      queue.pop();
      std::vector<std::uint32_t>& objects = of_rank[at(rank)];
      if (objects.empty() || queued != load_with(objects.back())) continue;
      const std::uint32_t object = objects.back();
      objects.pop_back();
      const std::int32_t left = tracker_.placement()[object];
      take_back(object);
      add(rank);
      add(left);
    }
  }

  /// Returns the load of an object, the maximum over all dimensions, per cost of its migration.
  double need(std::uint32_t object) const {
    return tracker_.relative_load(object, home(object)) / size(object);
  }

  const LDStats& stats_;
  MoveCost cost_;
  ScoreTracker tracker_;
  std::vector<double> maxima_;
  double planned_load_;
  std::vector<std::uint32_t> away_;
  std::vector<std::uint32_t> evacuated_;
  std::vector<std::uint32_t> taken_back_;
};

}  // namespace

std::vector<std::uint32_t> most_needed_first(const LDStats& stats, const ScoreTerms& terms,
                                             const std::vector<std::int32_t>& placement, MoveCost cost) {
  return TakeBack(stats, terms, placement, cost).most_needed_first();
}

}  // namespace plimsoll::balance
