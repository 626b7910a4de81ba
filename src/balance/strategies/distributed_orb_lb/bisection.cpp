#include "balance/strategies/distributed_orb_lb/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

#include "balance/rounds/scaled_sum.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/distributed_orb_lb/group_content.hpp"
#include "balance/strategies/distributed_orb_lb/objects_at_plane.hpp"
#include "balance/strategies/distributed_orb_lb/plane_search.hpp"
#include "balance/strategies/distributed_orb_lb/rank_groups.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Part of the mean load of a rank by which a half may miss its share.
constexpr double allowed_error = 5e-4;

class Bisection {
 public:
  Bisection(RankRounds& rounds, std::span<BisectionRank> ranks)
      : rounds_(rounds), ranks_(ranks), values_(ranks.size()), capacities_(ranks.size()) {
    groups_.assign(ranks.size(), {0, rounds.ranks()});
    compute_capacities();
  }

  void run() {
    for (std::int32_t size = rounds_.ranks(); size > 1; size = (size + 1) / 2) split_groups(size);
  }

 private:
  std::int32_t rank_of(std::size_t local) const {
    return rounds_.first_local_rank() + static_cast<std::int32_t>(local);
  }

  double sum(const std::function<double(const BisectionRank&)>& value) {
    return sum_over(rounds_, ranks_, value);
  }

  /// Computes the load with which each rank finishes at the time when all ranks with objects finish together:
  /// without those whose overhead alone takes longer.
  void compute_capacities() {
    const double load = sum(&BisectionRank::load);
    double finish = std::numeric_limits<double>::infinity();
    for (double before = 0; finish != before;) {
      before = finish;
      const auto takes_part = [&](const BisectionRank& rank) {
        return rank.available && rank.overhead < before;
      };
      const double speed = sum([&](const BisectionRank& rank) { return takes_part(rank) ? rank.speed : 0; });
      const double overhead =
          sum([&](const BisectionRank& rank) { return takes_part(rank) ? rank.overhead * rank.speed : 0; });
      if (speed > 0) finish = std::min(before, (load + overhead) / speed);
    }
    std::ranges::transform(ranks_, capacities_.begin(), [&](const BisectionRank& rank) {
      if (!rank.available) return 0.0;
      return load > 0 ? std::max(0.0, finish - rank.overhead) * rank.speed : rank.speed;
    });
    if (scaled_sum(rounds_, capacities_) > 0) return;
    // The loads are so small that they vanish beside the overheads.
    std::ranges::transform(ranks_, capacities_.begin(),
                           [](const BisectionRank& rank) { return rank.available ? rank.speed : 0; });
  }

  /// Splits all groups into halves; the largest one has `max_size` ranks.
  void split_groups(std::int32_t max_size) {
    GroupTrees trees(rounds_, groups_, max_size);
    std::vector<GroupContent> contents(ranks_.size());
    for (std::size_t local = 0; local < ranks_.size(); ++local) contents[local] = content_of(local);
    trees.combine(contents, merge_content);
    trees.distribute(contents);
    move_objects(contents, find_planes(trees, contents));
  }

  GroupContent content_of(std::size_t local) const {
    GroupContent content;
    const RankGroup group = groups_[local];
    content.capacity[rank_of(local) < group.middle() ? 0 : 1] = capacities_[local];
    for (const BisectionObject& object : ranks_[local].objects) {
      content.load += object.load;
      ++content.n_objects;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        content.low[axis] = std::min(content.low[axis], object.position[axis]);
        content.high[axis] = std::max(content.high[axis], object.position[axis]);
      }
      if (object.origin.rank < group.first || object.origin.rank >= group.end) continue;
      const std::size_t half = object.origin.rank < group.middle() ? 0 : 1;
      ++content.n_from[half];
      for (std::size_t axis = 0; axis < 3; ++axis)
        content.coordinates_from[half][axis] += object.position[axis];
    }
    return content;
  }

  /// Returns the search for the plane of a group.
  static PlaneSearch search_in(const GroupContent& content, const RankGroup& group) {
    const double total = content.load > 0 ? content.load : content.n_objects;
    const std::size_t half = upper_ranks_are_below(content) ? 1 : 0;
    const double capacity = content.capacity[0] + content.capacity[1];
    const double share = capacity > 0 ? content.capacity[half] / capacity : 0.5;
    // Exactly all or nothing if one half can take nothing.
    const double target = content.capacity[1 - half] == 0 && capacity > 0 ? total : share * total;
    return {target, total, allowed_error * total / std::max(1, group.size())};
  }

  /// Returns for each object of each local rank whether it is below the plane of its group.
  std::vector<std::vector<bool>> find_planes(GroupTrees& trees, const std::vector<GroupContent>& contents) {
    std::vector<ObjectsAtPlane> objects;
    std::vector<PlaneSearch> searches;
    for (std::size_t local = 0; local < ranks_.size(); ++local) {
      objects.emplace_back(ranks_[local].objects, contents[local], groups_[local].size() > 1);
      searches.push_back(search_in(contents[local], groups_[local]));
    }
    std::vector<PlaceHistogram> histograms(ranks_.size());
    std::vector<PlaneBin> planes(ranks_.size());
    for (int digit = 0; digit < PlaceInBox::n_digits; ++digit) {
      for (std::size_t local = 0; local < ranks_.size(); ++local)
        histograms[local] = objects[local].histogram(digit);
      trees.combine(histograms, [](PlaceHistogram& into, const PlaceHistogram& from) { into.add(from); });
      for (std::size_t local = 0; local < ranks_.size(); ++local)
        if (rank_of(local) == groups_[local].first)
          planes[local] = searches[local].next(histograms[local], digit);
      trees.distribute(planes);
      for (std::size_t local = 0; local < ranks_.size(); ++local)
        values_[local] = static_cast<double>(objects[local].decide(planes[local], digit));
      if (rounds_.maximum(values_) == 0) break;
    }
    std::vector<std::vector<bool>> are_below;
    are_below.reserve(ranks_.size());
    for (const ObjectsAtPlane& of_rank : objects) are_below.push_back(of_rank.are_below());
    return are_below;
  }

  /// Moves the objects to the halves of the groups, which are the groups afterwards.
  void move_objects(const std::vector<GroupContent>& contents,
                    const std::vector<std::vector<bool>>& are_below) {
    rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
      std::vector<BisectionObject>& objects = ranks_[at(local)].objects;
      const RankGroup group = groups_[at(local)];
      if (group.size() < 2) return;
      const bool is_upper = rank_of(at(local)) >= group.middle();
      const GroupContent& content = contents[at(local)];
      const bool upper_is_below = upper_ranks_are_below(content);
      std::vector<BisectionObject> kept;
      std::vector<BisectionObject> leaving;
      for (std::size_t object = 0; object < objects.size(); ++object) {
        const bool goes_up = are_below[at(local)][object] == upper_is_below;
        (goes_up == is_upper ? kept : leaving).push_back(objects[object]);
      }
      objects = std::move(kept);
      groups_[at(local)] = group.half(is_upper);
      if (leaving.empty()) return;
      const RankGroup own = group.half(is_upper);
      const RankGroup other = group.half(!is_upper);
      const std::int64_t place = rank_of(at(local)) - own.first;
      outbox.send(other.first + static_cast<std::int32_t>(place * other.size() / own.size()),
                  std::span<const BisectionObject>(leaving));
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
      std::vector<BisectionObject>& objects = ranks_[at(local)].objects;
      for (const RoundMessage& message : received) {
        const std::span<const BisectionObject> arrived = message.items<BisectionObject>();
        objects.insert(objects.end(), arrived.begin(), arrived.end());
      }
    });
  }

  RankRounds& rounds_;
  std::span<BisectionRank> ranks_;
  std::vector<RankGroup> groups_;   // of each local rank
  std::vector<double> values_;      // a value of each local rank, for sums and maxima
  std::vector<double> capacities_;  // load that each local rank can take
};

}  // namespace

void bisect(RankRounds& rounds, std::span<BisectionRank> ranks) {
  Bisection(rounds, ranks).run();
}

}  // namespace plimsoll::balance
