#include <algorithm>
#include <compare>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <plimsoll/placement/order_by_work.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

/// A node, with its ranks in ascending order of their work, and then of their numbers.
struct NodeWork {
  struct Rank {
    double work;
    std::uint32_t number;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  std::vector<Rank> ranks;
  double sum = 0;

  double size() const { return static_cast<double>(ranks.size()); }
  double mean() const { return ranks.empty() ? 0 : sum / size(); }

  void replace(const Rank& leaving, const Rank& coming) {
    ranks.erase(std::ranges::lower_bound(ranks, leaving));
    ranks.insert(std::ranges::lower_bound(ranks, coming), coming);
    sum -= leaving.work - coming.work;
  }
  /// Returns the lowest rank with the work of a rank.
  const Rank& first_like(const Rank& rank) const {
    return *std::ranges::lower_bound(ranks, rank.work, {}, &Rank::work);
  }
};

/// Two ranks, and the maximum of their nodes after they have taken each other's place.
struct Exchange {
  NodeWork::Rank leaving = {};
  NodeWork::Rank coming = {};
  std::size_t to = 0;  ///< node of the coming rank
  double left = 0;     ///< maximum of the means of both nodes
};

/// Ranks on nodes, and the work of each node.
class WorkOfNodes {
 public:
  WorkOfNodes(std::span<const double> work, const Placement& start)
      : least_work_(std::ranges::min(work)), nodes_(std::ranges::max(start) + std::size_t{1}) {
    for (std::uint32_t rank = 0; rank < start.size(); ++rank) {
      nodes_[start[rank]].ranks.push_back({work[rank], rank});
      nodes_[start[rank]].sum += work[rank];
    }
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].ranks.empty()) continue;
      std::ranges::sort(nodes_[node].ranks);
      max_size_ = std::max(max_size_, nodes_[node].size());
      by_mean_.insert({nodes_[node].mean(), node});
    }
  }

  double max_mean() const { return by_mean_.begin()->mean; }

  /// Swaps the ranks after which the maximum of the node with the most work per rank and a partner is
  /// smallest, if that saves enough of the mean work. Returns them.
  std::optional<Swap> make_best_swap(double mean_work) {
    constexpr double min_gain = 0.005;
    constexpr double min_moved = 0.04;  // of which large nodes save a small part only
    constexpr int max_partners = 16;
    const std::size_t from = by_mean_.begin()->node;
    const double least = max_mean() - std::min(min_gain, min_moved / nodes_[from].size()) * mean_work;
    Exchange best = {.leaving = {}, .coming = {}, .to = from, .left = least};
    int partners = 0;
    for (auto to = by_mean_.rbegin(); to->node != from && least_left(from, to->mean) < best.left; ++to) {
      if (++partners > max_partners && best.to != from) break;
      search(from, to->node, best);
    }
    if (best.to == from) return std::nullopt;
    const NodeWork::Rank leaving = nodes_[from].first_like(best.leaving);
    const NodeWork::Rank coming = nodes_[best.to].first_like(best.coming);
    replace(from, leaving, coming);
    replace(best.to, coming, leaving);
    return std::minmax({leaving.number, coming.number});
  }

 private:
  /// A node in descending order of the work per rank.
  struct MeanOfNode {
    double mean;
    std::size_t node;
    friend bool operator<(const MeanOfNode& one, const MeanOfNode& other) {
      return one.mean != other.mean ? one.mean > other.mean : one.node < other.node;
    }
  };

  void replace(std::size_t node, const NodeWork::Rank& leaving, const NodeWork::Rank& coming) {
    by_mean_.erase({nodes_[node].mean(), node});
    nodes_[node].replace(leaving, coming);
    by_mean_.insert({nodes_[node].mean(), node});
  }

  /// Returns a lower bound of the maximum of a node and another one with this mean or a larger one after a
  /// swap: the mean of both, and the mean of the first one after it lost as much work as any swap moves.
  double least_left(std::size_t from, double mean) const {
    constexpr double rounding = 1e-12;
    const NodeWork& one = nodes_[from];
    const double most_moved = one.ranks.back().work - least_work_;
    return std::max((1 - rounding) * (one.sum + mean * max_size_) / (one.size() + max_size_),
                    (one.sum - most_moved) / one.size());
  }

  /// Finds the best swap with a node if it is better than `best`. The maximum of both nodes falls with the
  /// work that is moved until the means of the nodes are equal, and then rises. Therefore each leaving rank
  /// needs comparison with two others only, whose work ascends with its own.
  void search(std::size_t from, std::size_t to, Exchange& best) const {
    const NodeWork& one = nodes_[from];
    const NodeWork& other = nodes_[to];
    const double ideal = (one.sum * other.size() - other.sum * one.size()) / (one.size() + other.size());
    const auto compare = [&](const NodeWork::Rank& leaving, const NodeWork::Rank& coming) {
      const double moved = leaving.work - coming.work;
      const double left = std::max((one.sum - moved) / one.size(), (other.sum + moved) / other.size());
      if (moved > 0 && left < best.left) best = {leaving, coming, to, left};
    };
    auto above = other.ranks.begin();
    for (const NodeWork::Rank& leaving : one.ranks) {
      while (above != other.ranks.end() && above->work < leaving.work - ideal) ++above;
      if (above != other.ranks.end()) compare(leaving, *above);
      if (above != other.ranks.begin()) compare(leaving, *std::prev(above));
    }
  }

  double least_work_;
  std::vector<NodeWork> nodes_;
  double max_size_ = 0;  ///< ranks of the largest node
  std::set<MeanOfNode> by_mean_;
};

}  // namespace

OrderByWork order_by_work(std::span<const double> work, const Placement& start) {
  PLIMSOLL_EXPECT(work.size() == start.size());
  OrderByWork order;
  if (work.empty()) return order;
  for (const double rank_work : work) order.mean += rank_work / static_cast<double>(work.size());
  WorkOfNodes nodes(work, start);
  order.before_max = nodes.max_mean();
  while (const auto swap = nodes.make_best_swap(order.mean)) order.swaps.push_back(*swap);
  order.after_max = nodes.max_mean();
  return order;
}

}  // namespace plimsoll::PLIMSOLL_ABI::placement
