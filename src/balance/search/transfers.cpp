#include "balance/search/transfers.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Number of ranks that the search from one rank visits at most. It keeps the cost linear in the ranks.
constexpr std::size_t max_visited = 1000;

/// Available ranks with which the migratable objects of each rank communicate.
class RankGraph {
 public:
  explicit RankGraph(const CommPlacement& placement) : begin_(placement.n_ranks() + 1, 0) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t object = 0; object < placement.n_objects(); ++object) {
      if (!placement.migratable(object)) continue;
      const std::uint32_t here = placement.rank(object);
      for (const Affinity::Partner& partner : placement.partners(object))
        if (const std::uint32_t there = placement.rank(partner); there != here && placement.available(there))
          pairs.emplace_back(here, there);
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [here, there] : pairs) {
      ++begin_[here + 1];
      neighbours_.push_back(there);
    }
    for (std::size_t rank = 1; rank < begin_.size(); ++rank) begin_[rank] += begin_[rank - 1];
  }

  std::span<const std::uint32_t> neighbours(std::uint32_t rank) const {
    return std::span(neighbours_).subspan(begin_[rank], begin_[rank + 1] - begin_[rank]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> neighbours_;
};

class TransferPlanner {
 public:
  explicit TransferPlanner(const CommPlacement& placement)
      : graph_(placement),
        room_(placement.n_ranks(), 0),
        found_by_(placement.n_ranks(), 0),
        before_(placement.n_ranks(), 0) {
    for (std::uint32_t rank = 0; rank < placement.n_ranks(); ++rank)
      if (placement.available(rank)) room_[rank] = placement.room(rank);
  }

  std::vector<Transfer> plan(std::size_t max_distance) {
    for (std::size_t distance = 1; distance <= max_distance; ++distance)
      for (std::uint32_t rank = 0; rank < room_.size(); ++rank)
        if (room_[rank] < 0) give(rank, ranks_at(rank, distance));
    return net_transfers();
  }

 private:
  /// Returns the ranks at a distance from `source`, by breadth-first search.
  std::vector<std::uint32_t> ranks_at(std::uint32_t source, std::size_t distance) {
    ++search_;
    found_by_[source] = search_;
    std::size_t n_visited = 1;
    std::vector<std::uint32_t> found{source};
    for (std::size_t step = 0; step < distance; ++step) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t rank : found)
        for (const std::uint32_t neighbour : graph_.neighbours(rank)) {
          if (found_by_[neighbour] == search_ || n_visited == max_visited) continue;
          found_by_[neighbour] = search_;
          before_[neighbour] = rank;
          next.push_back(neighbour);
          ++n_visited;
        }
      found.swap(next);
    }
    return found;
  }

  /// Divides the excess of a rank equally among receivers, or less equally if some have too little room.
  void give(std::uint32_t source, std::vector<std::uint32_t> receivers) {
    std::erase_if(receivers, [&](std::uint32_t rank) { return room_[rank] <= 0; });
    std::ranges::stable_sort(receivers, {}, [&](std::uint32_t rank) { return room_[rank]; });
    auto n_left = static_cast<double>(receivers.size());
    for (const std::uint32_t receiver : receivers) {
      const double load = std::min(-room_[source] / n_left, room_[receiver]);
      --n_left;
      room_[source] += load;
      room_[receiver] -= load;
      for (std::uint32_t rank = receiver; rank != source; rank = before_[rank])
        steps_.push_back({before_[rank], rank, load});
    }
  }

  /// Returns the sums of the steps of each pair of ranks, minus those in the opposite direction.
  std::vector<Transfer> net_transfers() {
    for (Transfer& step : steps_)
      if (step.from > step.to) step = {step.to, step.from, -step.load};
    const auto ranks_of = [](const Transfer& step) { return std::pair(step.from, step.to); };
    std::ranges::stable_sort(steps_, {}, ranks_of);
    std::vector<Transfer> sums;
    for (const Transfer& step : steps_) {
      if (sums.empty() || ranks_of(sums.back()) != ranks_of(step))
        sums.push_back(step);
      else
        sums.back().load += step.load;
    }
    std::erase_if(sums, [](const Transfer& sum) { return sum.load == 0; });
    for (Transfer& sum : sums)
      if (sum.load < 0) sum = {sum.to, sum.from, -sum.load};
    std::ranges::sort(sums, {}, ranks_of);
    return sums;
  }

  RankGraph graph_;
  std::vector<double> room_;
  std::vector<Transfer> steps_;
  std::size_t search_ = 0;
  std::vector<std::size_t> found_by_;  ///< last search that found each rank
  std::vector<std::uint32_t> before_;  ///< rank from which the last search found each rank
};

}  // namespace

std::vector<Transfer> plan_transfers(const CommPlacement& placement, std::size_t max_distance) {
  return TransferPlanner(placement).plan(max_distance);
}

}  // namespace plimsoll::balance
