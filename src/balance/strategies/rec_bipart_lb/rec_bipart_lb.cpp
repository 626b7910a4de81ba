#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "balance/partition/partitioner.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/rec_bipart_lb/gain_buckets.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr int max_bisection_passes = 8;
// Number of consecutive moves without improvement after which a pass ends: an absolute number, and a fraction
// of the vertices.
constexpr std::int32_t max_futile_moves = 1000;
constexpr double futile_fraction = 0.02;
// Number of vertices rejected as too heavy for a growing side, after which the side stops growing.
constexpr int max_refusals = 32;

/// Returns a vertex at the maximum distance from `start` among the reachable vertices.
std::int32_t farthest_from(const PartitionGraph& graph, std::int32_t start) {
  std::vector<bool> reached(at(graph.n_vertices()), false);
  std::vector<std::int32_t> queue = {start};
  reached[at(start)] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    graph.for_each_edge(queue[i], [&](std::int32_t neighbor, std::int32_t) {
      if (reached[at(neighbor)]) return;
      reached[at(neighbor)] = true;
      queue.push_back(neighbor);
    });
  return queue.back();
}

class GraphBisection {
 public:
  GraphBisection(const PartitionGraph& graph, const PartShares& two, double slack)
      : graph_(graph), side_(at(graph.n_vertices()), 1), gain_(side_.size(), 0) {
    total_ = std::accumulate(graph.vertex_weights.begin(), graph.vertex_weights.end(), std::int64_t{0});
    target_ = std::llround(two.of(0, 0) * static_cast<double>(total_));
    // Set the slack to the mean vertex weight or more: with less slack, the search would have no
    // alternatives.
    slack_ =
        std::max(static_cast<std::int64_t>(slack * static_cast<double>(total_)), total_ / graph.n_vertices());
    for (std::int32_t vertex = 0; vertex < graph.n_vertices(); ++vertex) {
      std::int64_t degree = 0;
      graph.for_each_edge(vertex, [&](std::int32_t, std::int32_t weight) { degree += weight; });
      gain_[at(vertex)] = -degree;
      maximum_gain_ = std::max(maximum_gain_, degree);
    }
  }

  /// Grows side 0 from a vertex until it has its share.
  void grow(std::int32_t start) {
    GainBuckets rim(graph_.n_vertices(), maximum_gain_, GainBuckets::Among::first_come);
    std::vector<bool> refused(side_.size(), false);
    std::int32_t next_start = 0;
    std::int32_t vertex = start;
    for (int refusals = 0; weight_ < target_ && refusals < max_refusals;) {
      const std::int64_t lack = target_ - weight_;
      if (graph_.vertex_weights[at(vertex)] > 2 * lack) {
        refused[at(vertex)] = true;
        ++refusals;
      } else {
        change_side(vertex);
        graph_.for_each_edge(vertex, [&](std::int32_t neighbor, std::int32_t) {
          if (side_[at(neighbor)] == 1 && !refused[at(neighbor)]) rim.put(neighbor, gain_[at(neighbor)]);
        });
      }
      if (rim.contains(vertex)) rim.remove(vertex);
      vertex = rim.best();
      // Continue in another component if the rest of the graph is not connected to this one.
      while (vertex < 0 && next_start < graph_.n_vertices()) {
        if (side_[at(next_start)] == 1 && !refused[at(next_start)]) vertex = next_start;
        ++next_start;
      }
      if (vertex < 0) return;
    }
  }

  void refine() {
    for (int pass = 0; pass < max_bisection_passes; ++pass)
      if (!improve()) return;
  }

  /// Returns two values to compare in this order: the deviation of the sides from their shares beyond the
  /// slack, and the weight of the edges between the sides.
  std::pair<std::int64_t, std::int64_t> cost() const {
    return {std::max<std::int64_t>(0, miss() - slack_), cut_};
  }
  Partition take() { return std::move(side_); }

 private:
  std::int64_t miss() const { return std::abs(weight_ - target_); }

  void change_side(std::int32_t vertex) {
    const std::int32_t from = side_[at(vertex)];
    weight_ += std::int64_t{from == 1 ? 1 : -1} * graph_.vertex_weights[at(vertex)];
    cut_ -= gain_[at(vertex)];
    gain_[at(vertex)] = -gain_[at(vertex)];
    side_[at(vertex)] = 1 - from;
    graph_.for_each_edge(vertex, [&](std::int32_t neighbor, std::int32_t weight) {
      gain_[at(neighbor)] += (side_[at(neighbor)] == from ? 2 : -2) * std::int64_t{weight};
    });
  }

  /// Runs a pass in which each vertex moves at most once, and keeps the best state of the pass. Returns
  /// whether this state is an improvement.
  bool improve() {
    GainBuckets movable[2] = {GainBuckets(graph_.n_vertices(), maximum_gain_, GainBuckets::Among::last_come),
                              GainBuckets(graph_.n_vertices(), maximum_gain_, GainBuckets::Among::last_come)};
    std::vector<bool> locked(side_.size(), false);
    for (std::int32_t vertex = 0; vertex < graph_.n_vertices(); ++vertex)
      if (at_border(vertex)) movable[side_[at(vertex)]].put(vertex, gain_[at(vertex)]);

    const std::int32_t patience =
        std::clamp(static_cast<std::int32_t>(futile_fraction * graph_.n_vertices()), 15, max_futile_moves);
    std::vector<std::int32_t> moved;
    std::size_t n_best = 0;
    auto best = cost();
    while (moved.size() - n_best < at(patience)) {
      const std::int32_t vertex = choose(movable);
      if (vertex < 0) break;
      movable[side_[at(vertex)]].remove(vertex);
      locked[at(vertex)] = true;
      if (!may_move(vertex)) continue;
      change_side(vertex);
      moved.push_back(vertex);
      graph_.for_each_edge(vertex, [&](std::int32_t neighbor, std::int32_t) {
        if (!locked[at(neighbor)]) movable[side_[at(neighbor)]].put(neighbor, gain_[at(neighbor)]);
      });
      if (cost() < best) {
        best = cost();
        n_best = moved.size();
      }
    }
    for (std::size_t i = moved.size(); i-- > n_best;) change_side(moved[i]);
    return n_best > 0;
  }

  bool at_border(std::int32_t vertex) const {
    bool found = false;
    graph_.for_each_edge(vertex, [&](std::int32_t neighbor, std::int32_t) {
      found = found || side_[at(neighbor)] != side_[at(vertex)];
    });
    return found;
  }

  /// Chooses the best vertex of the side that is too heavy. If neither side is, chooses the vertex with the
  /// higher gain.
  std::int32_t choose(GainBuckets (&movable)[2]) const {
    const std::int32_t first = movable[0].best();
    const std::int32_t second = movable[1].best();
    if (weight_ > target_ + slack_ || second < 0) return first;
    if (weight_ < target_ - slack_ || first < 0) return second;
    if (gain_[at(first)] != gain_[at(second)]) return gain_[at(first)] > gain_[at(second)] ? first : second;
    return weight_ >= target_ ? first : second;
  }

  /// Returns whether the sides are within the slack after a move, or deviate less than before.
  bool may_move(std::int32_t vertex) const {
    const std::int64_t weight = graph_.vertex_weights[at(vertex)];
    const std::int64_t after = std::abs(weight_ + (side_[at(vertex)] == 1 ? weight : -weight) - target_);
    return after <= slack_ || after < miss();
  }

  const PartitionGraph& graph_;
  Partition side_;
  std::vector<std::int64_t> gain_;  ///< decrease of the cut's weight if a vertex changes sides
  std::int64_t maximum_gain_ = 0;
  std::int64_t total_ = 0;
  std::int64_t target_ = 0;  ///< target weight of side 0
  std::int64_t slack_ = 0;
  std::int64_t weight_ = 0;  ///< weight of side 0
  std::int64_t cut_ = 0;
};

/// Partitions a graph with one load dimension into two parts. The first part grows from a peripheral vertex
/// until it has its share. It repeatedly adds the neighbouring vertex with the best gain, or the one that it
/// reached first if several are equal. Then single vertices change parts, best gain first, with hill climbing
/// (Fiduccia and Mattheyses). The function grows parts from two opposite peripheral vertices and returns the
/// better result. `slack` is the fraction of the weight by which a part may miss its share. Cost: O(vertices
/// + edges) per pass, at most 8 passes.
Partition bisect_by_growing(const PartitionGraph& graph, const PartShares& two, double slack) {
  const std::int32_t rim = farthest_from(graph, 0);
  const auto from = [&](std::int32_t start) {
    GraphBisection bisection(graph, two, slack);
    bisection.grow(start);
    bisection.refine();
    return bisection;
  };
  GraphBisection one = from(rim);
  GraphBisection other = from(farthest_from(graph, rim));
  return other.cost() < one.cost() ? other.take() : one.take();
}

/// Partitions the object graph by recursive bisection. Each bisection grows one side and refines the border.
/// Labels the parts so that few objects migrate (place_by_partition.hpp). Needs no external library. Cost:
/// O((objects + edges) log ranks).
class RecBipartLB : public Strategy {
 public:
  explicit RecBipartLB(const Parameters& parameters)
      : Strategy("RecBipartLB", parameters), tolerance_(tolerance_of("RecBipartLB", parameters)) {}
  void work(LDStats& stats) override {
    place_by_partition(
        stats, *this, tolerance_, false,
        [this](const PartitionGraph& graph, const PartShares& shares, const Partition& /*present*/) {
          // Reduce the tolerance of each bisection, because the tolerances of nested bisections multiply. The
          // smaller half determines the slack.
          const double levels = std::max(1.0, std::ceil(std::log2(shares.n_parts())));
          const double tolerance = std::pow(tolerance_, 1 / levels);
          return partition_by_bisection(
              graph, shares, [&](const PartitionGraph& piece, const PartShares& two) {
                return bisect_by_growing(piece, two, (tolerance - 1) * std::min(two.of(0, 0), two.of(1, 0)));
              });
        });
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_communication(tolerance_); }

 private:
  double tolerance_;
};

}  // namespace

StrategyInfo rec_bipart_lb_info() {
  return {
      .name = "RecBipartLB",
      .help = "low communication between ranks at good balance: bisects the object graph, needs no library",
      .parameters = {partition_tolerance()},
      .make = make_strategy<RecBipartLB>,
      .needs = {.memory = true, .numbers = false},
      .trade_off = TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
