#include "balance/strategies/greedy_lb/vector_repair.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "balance/random.hpp"

namespace plimsoll::balance {

namespace {

constexpr double good_enough = 1 + 1e-4;
constexpr double least_gain = 1e-12;
constexpr std::size_t max_partners = 48;
constexpr std::size_t max_pairs = 4096;  // of items, looked at for each two ranks

class Repair {
 public:
  Repair(const VectorProblem& problem, std::vector<std::uint32_t>& rank_of)
      : problem_(problem),
        n_dimensions_(problem.n_dimensions),
        rank_of_(rank_of),
        items_(problem.ranks.size()),
        times_(problem.fixed),
        budget_(4 * problem.objects.size() + (std::size_t{1} << 22)) {
    for (std::uint32_t item = 0; item < rank_of.size(); ++item) {
      items_[rank_of[item]].push_back(item);
      add(item, rank_of[item], 1);
    }
    for (std::uint32_t rank = 0; rank < items_.size(); ++rank) by_latest_.insert({latest(rank), rank});
  }

  void run() {
    const double target = problem_.bound * good_enough;
    while (budget_ > 0 && by_latest_.rbegin()->first > target) {
      const auto [before, rank] = *by_latest_.rbegin();
      Exchange best;
      for (std::size_t i = 0; i < std::min(max_partners, items_.size() - 1) && budget_ > 0; ++i) {
        look_for_exchange(rank, partner(rank, i), best);
        if (best.latest <= before * (1 - least_gain) && best.latest <= target) break;
      }
      if (best.latest > before * (1 - least_gain)) return;
      apply(rank, best);
    }
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Exchange {
    double latest = std::numeric_limits<double>::infinity();
    std::uint32_t partner = 0;
    std::size_t given = none;
    std::size_t taken = none;
  };

  double latest(std::uint32_t rank) const {
    const auto first = times_.begin() + static_cast<std::ptrdiff_t>(rank * n_dimensions_);
    return *std::max_element(first, first + static_cast<std::ptrdiff_t>(n_dimensions_));
  }
  void add(std::uint32_t item, std::uint32_t rank, double sign) {
    for (std::size_t d = 0; d < n_dimensions_; ++d)
      times_[rank * n_dimensions_ + d] += sign * problem_.load(item)[d] / speed(rank, d);
  }
  double speed(std::uint32_t rank, std::size_t d) const { return problem_.speeds[rank * n_dimensions_ + d]; }

  /// All other ranks if they are few, else random ones.
  std::uint32_t partner(std::uint32_t rank, std::size_t i) {
    const std::size_t others = items_.size() - 1;
    const std::size_t choice =
        others <= max_partners ? i
                               : static_cast<std::size_t>(random_.uniform() * static_cast<double>(others));
    return static_cast<std::uint32_t>(choice < rank ? choice : choice + 1);
  }

  /// Greatest time of the two ranks if the first gives and takes these positions; stops at `limit`.
  double latest_after(std::uint32_t rank, std::uint32_t other, std::size_t given, std::size_t taken,
                      double limit) const {
    double after = 0;
    for (std::size_t d = 0; d < n_dimensions_ && after < limit; ++d) {
      const double load = (given == none ? 0 : problem_.load(items_[rank][given])[d]) -
                          (taken == none ? 0 : problem_.load(items_[other][taken])[d]);
      after = std::max({after, times_[rank * n_dimensions_ + d] - load / speed(rank, d),
                        times_[other * n_dimensions_ + d] + load / speed(other, d)});
    }
    return after;
  }

  void look_for_exchange(std::uint32_t rank, std::uint32_t other, Exchange& best) {
    const auto consider = [&](std::size_t given, std::size_t taken) {
      const double after = latest_after(rank, other, given, taken, best.latest);
      if (after < best.latest) best = {after, other, given, taken};
    };
    const std::size_t n_given = items_[rank].size() + 1;  // none is one of them
    const std::size_t n_taken = items_[other].size() + 1;
    const auto position = [](std::size_t i) { return i == 0 ? none : i - 1; };
    const std::size_t pairs = std::min(n_given * n_taken, max_pairs);
    budget_ -= std::min(budget_, pairs);
    if (pairs == n_given * n_taken) {
      for (std::size_t g = 0; g < n_given; ++g)
        for (std::size_t t = 0; t < n_taken; ++t) consider(position(g), position(t));
      return;
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::uint64_t bits = random_.next();
      consider(position((bits >> 32) * n_given >> 32), position((bits & 0xffffffffu) * n_taken >> 32));
    }
  }

  void apply(std::uint32_t rank, const Exchange& exchange) {
    const std::uint32_t other = exchange.partner;
    by_latest_.erase({latest(rank), rank});
    by_latest_.erase({latest(other), other});
    const auto remove = [&](std::uint32_t from, std::size_t position) {
      const std::uint32_t item = items_[from][position];
      items_[from][position] = items_[from].back();
      items_[from].pop_back();
      add(item, from, -1);
      return item;
    };
    const auto insert = [&](std::uint32_t item, std::uint32_t to) {
      items_[to].push_back(item);
      add(item, to, 1);
      rank_of_[item] = to;
    };
    const bool takes = exchange.taken != none;
    const std::uint32_t taken = takes ? remove(other, exchange.taken) : 0;
    if (exchange.given != none) insert(remove(rank, exchange.given), other);
    if (takes) insert(taken, rank);
    by_latest_.insert({latest(rank), rank});
    by_latest_.insert({latest(other), other});
  }

  const VectorProblem& problem_;
  std::size_t n_dimensions_;
  std::vector<std::uint32_t>& rank_of_;
  std::vector<std::vector<std::uint32_t>> items_;  ///< of each rank
  std::vector<double> times_;                      ///< of each rank and dimension
  std::set<std::pair<double, std::uint32_t>> by_latest_;
  std::size_t budget_;  ///< exchanges that may still be looked at
  Random random_{2};
};

}  // namespace

void repair_vectors(const VectorProblem& problem, std::vector<std::uint32_t>& rank_of) {
  if (problem.ranks.size() > 1 && problem.n_dimensions > 0) Repair(problem, rank_of).run();
}

}  // namespace plimsoll::balance
