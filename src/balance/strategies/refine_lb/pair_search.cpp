#include "balance/strategies/refine_lb/pair_search.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"
#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Subset = SubsetSums::Subset;

/// Lists all subsets of loads [begin, end), sorted by sum. Each load doubles the list: it is merged with a
/// shifted copy of itself.
void list_subsets(const std::vector<double>& loads, std::size_t begin, std::size_t end,
                  std::vector<Subset>& subsets, std::vector<Subset>& scratch) {
  subsets.assign(1, {0, 0});
  for (std::size_t k = begin; k < end; ++k) {
    scratch.clear();
    auto shifted = subsets.begin();
    const auto with_k = [&] { return Subset{shifted->sum + loads[k], shifted->members | 1u << k}; };
    for (const Subset& without : subsets) {
      for (; shifted->sum + loads[k] < without.sum; ++shifted) scratch.push_back(with_k());
      scratch.push_back(without);
    }
    for (; shifted != subsets.end(); ++shifted) scratch.push_back(with_k());
    subsets.swap(scratch);
  }
}

}  // namespace

SubsetSums::Nearest SubsetSums::nearest(const std::vector<double>& loads, double wanted) {
  PLIMSOLL_EXPECT(loads.size() <= 32 && wanted >= 0);
  const std::size_t half = loads.size() / 2;
  list_subsets(loads, 0, half, left_, scratch_);
  list_subsets(loads, half, loads.size(), right_, scratch_);
  const auto join = [](const Subset& a, const Subset& b) {
    return Subset{a.sum + b.sum, a.members | b.members};
  };
  Nearest nearest{{0, 0}, join(left_.back(), right_.back())};
  auto right = right_.rbegin();
  for (const Subset& left : left_) {
    // Find the largest sum of the right half that gives at most `wanted` together with `left`.
    while (right != right_.rend() && left.sum + right->sum > wanted) ++right;
    if (right != right_.rbegin() && left.sum + std::prev(right)->sum < nearest.above.sum)
      nearest.above = join(left, *std::prev(right));
    if (right == right_.rend()) break;
    if (left.sum + right->sum > nearest.below.sum) nearest.below = join(left, *right);
  }
  return nearest;
}

namespace {

class PairSearch {
 public:
  PairSearch(Placement& placement, double target_s, const RefineContext& context)
      : placement_(placement),
        target_s_(target_s),
        context_(context),
        random_(context.seed),
        splits_left_(context.max_splits) {
    PLIMSOLL_EXPECT(context.max_split_objects >= 2 && context.max_split_objects <= 32);
    for (std::uint32_t rank = 0; rank < placement.n_ranks(); ++rank)
      if (placement.available(rank)) by_finish_.insert({placement.finish(rank), rank});
  }

  void run() {
    if (by_finish_.size() < 2) return;
    double best_s = latest_s();
    int dead_ends = 0;
    while (splits_left_ > 0 && latest_s() > target_s_) {
      if (improve_latest()) continue;
      if (latest_s() <= target_s_ * (1 + context_.near)) break;
      if (latest_s() < best_s * (1 - rounding_error)) {
        best_s = latest_s();
        since_best_.clear();
        dead_ends = 0;
      } else if (++dead_ends == context_.dead_ends_away) {
        return_to_best();
        dead_ends = 0;
      }
      kick();
    }
    if (latest_s() >= best_s) return_to_best();
  }

 private:
  struct Move {
    Placement::Item item;
    std::uint32_t from;
    std::uint32_t to;
  };

  bool improve_latest() {
    const std::uint32_t late = latest();
    int partners = 0;
    for (const auto& [finish_s, partner] : by_finish_) {
      if (partner == late || splits_left_ == 0 || ++partners > context_.max_partners) return false;
      --splits_left_;
      if (split_better(late, partner)) return true;
    }
    return false;
  }

  bool split_better(std::uint32_t late, std::uint32_t partner) {
    chosen_.clear();
    choose(late, context_.max_split_objects / 2);
    choose(partner, context_.max_split_objects - chosen_.size());
    for (Move& of_one : chosen_) of_one.to = of_one.from == late ? partner : late;

    const double late_speed = placement_.speed(late);
    const double partner_speed = placement_.speed(partner);
    double late_s = placement_.finish(late);
    double partner_s = placement_.finish(partner);
    double total = 0;
    loads_.clear();
    for (const Move& of_one : chosen_) {
      loads_.push_back(of_one.item.load);
      total += of_one.item.load;
      if (of_one.from == late)
        late_s -= of_one.item.load / late_speed;
      else
        partner_s -= of_one.item.load / partner_speed;
    }
    // Compute the load of `late` with which both ranks finish at the same time.
    const double ideal = (partner_s - late_s + total / partner_speed) / (1 / late_speed + 1 / partner_speed);
    const SubsetSums::Nearest nearest = sums_.nearest(loads_, std::max(0.0, ideal));
    const auto later_s = [&](const SubsetSums::Subset& kept) {
      return std::max(late_s + kept.sum / late_speed, partner_s + (total - kept.sum) / partner_speed);
    };
    const SubsetSums::Subset best =
        later_s(nearest.below) <= later_s(nearest.above) ? nearest.below : nearest.above;
    if (later_s(best) >= placement_.finish(late) * (1 - rounding_error)) return false;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      const bool kept = (best.members >> k & 1) != 0;
      if (kept != (chosen_[k].from == late)) move(chosen_[k]);
    }
    return true;
  }

  /// Chooses the objects of `rank` to split: all, or `count` random ones.
  void choose(std::uint32_t rank, std::size_t count) {
    const std::vector<Placement::Item>& items = placement_.items(rank);
    // Select each item with a probability such that `count` are selected in total.
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t left = items.size() - i;
      if (left > count && random_.next() % left >= count) continue;
      chosen_.push_back({items[i], rank, rank});
      --count;
    }
  }

  void kick() {
    for (int swap = 0; swap < context_.kick_swaps; ++swap) {
      const std::uint32_t late = latest();
      auto other = static_cast<std::uint32_t>(random_.next() % placement_.n_ranks());
      if (other == late || !placement_.available(other)) continue;
      for (const auto& [from, to] : {std::pair(late, other), std::pair(other, late)}) {
        const std::vector<Placement::Item>& items = placement_.items(from);
        if (!items.empty()) move({items[random_.next() % items.size()], from, to});
      }
    }
  }

  void move(const Move& move) {
    auto from = by_finish_.extract({placement_.finish(move.from), move.from});
    auto to = by_finish_.extract({placement_.finish(move.to), move.to});
    placement_.move(move.from, move.item, move.to);
    from.value().first = placement_.finish(move.from);
    to.value().first = placement_.finish(move.to);
    by_finish_.insert(std::move(from));
    by_finish_.insert(std::move(to));
    since_best_.push_back(move);
  }

  void return_to_best() {
    std::vector<Move> undo;
    undo.swap(since_best_);
    std::ranges::reverse(undo);
    for (const Move& last : undo) move({last.item, last.to, last.from});
    since_best_.clear();
  }

  std::uint32_t latest() const { return by_finish_.rbegin()->second; }
  double latest_s() const { return by_finish_.rbegin()->first; }

  Placement& placement_;
  double target_s_;
  RefineContext context_;
  Random random_;
  std::set<std::pair<double, std::uint32_t>> by_finish_;  ///< available ranks
  std::vector<Move> since_best_;
  std::uint64_t splits_left_;

  // Buffers for one split, reused because a search makes thousands of splits.
  SubsetSums sums_;
  std::vector<Move> chosen_;  ///< `to` is the other of the two ranks
  std::vector<double> loads_;
};

}  // namespace

void search_pairs(Placement& placement, double target_s, const RefineContext& context) {
  PairSearch(placement, target_s, context).run();
}

}  // namespace plimsoll::balance
