#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"
#include "balance/search/positions.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Splits the migratable objects among the available ranks by planes, see OrbLB.
class CoordinateBisection {
 public:
  /// The stats have positions and an available rank. Both arguments must outlive this object.
  CoordinateBisection(const LDStats& stats, const ProcArray& procs)
      : stats_(stats),
        procs_(procs),
        placement_(stats.from_proc),
        sum_of_coordinates_(procs.procs.size(), 0.0),
        n_objects_(procs.procs.size(), 0) {
    PLIMSOLL_EXPECT(stats.n_axes > 0 && stats.positions.size() == stats.obj_data.size() * stats.n_axes);
    PLIMSOLL_EXPECT(procs.n_available() > 0);
  }

  std::vector<std::int32_t> place() {
    std::vector<Item> items;
    for (std::uint32_t object = 0; object < stats_.obj_data.size(); ++object)
      if (stats_.obj_data[object].migratable) items.push_back({0, stats_.load_s(object), object});
    std::vector<std::int32_t> ranks = available_ranks(stats_);
    split(items, ranks);
    return placement_;
  }

 private:
  struct Item {
    double coordinate;  ///< coordinate along the axis of the cut
    double load;
    std::uint32_t object;
  };

  void split(std::span<Item> items, std::span<std::int32_t> ranks) {
    if (items.empty()) return;
    if (ranks.size() == 1) {
      for (const Item& item : items) placement_[item.object] = ranks.front();
      return;
    }
    const std::vector<std::uint32_t> axes = axes_by_extent(items);
    double load = 0;
    for (Item& item : items) {
      item.coordinate = stats_.position(item.object)[axes.front()];
      load += item.load;
    }
    order_by_centre(items, ranks);

    const std::size_t n_low = ranks.size() / 2;
    const std::vector<double> shares = fair_shares(procs_, ranks, load);
    const double low_load =
        std::accumulate(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(n_low), 0.0);
    const std::size_t n_items_low = cut(items, low_load, axes);
    split(items.first(n_items_low), ranks.first(n_low));
    split(items.subspan(n_items_low), ranks.subspan(n_low));
  }

  /// Returns the axes, with the longest side of the objects' box first.
  std::vector<std::uint32_t> axes_by_extent(std::span<const Item> items) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> low(stats_.n_axes, infinity);
    std::vector<double> high(stats_.n_axes, -infinity);
    for (const Item& item : items) {
      const std::span<const double> position = stats_.position(item.object);
      for (std::uint32_t axis = 0; axis < stats_.n_axes; ++axis) {
        low[axis] = std::min(low[axis], position[axis]);
        high[axis] = std::max(high[axis], position[axis]);
      }
    }
    std::vector<std::uint32_t> axes(stats_.n_axes);
    std::iota(axes.begin(), axes.end(), 0);
    // Use halves, because the difference of two large coordinates may overflow.
    std::ranges::stable_sort(axes, std::greater<>(),
                             [&](std::uint32_t axis) { return high[axis] / 2 - low[axis] / 2; });
    return axes;
  }

  /// Sorts ranks by the positions of their objects along the axis of the coordinates.
  void order_by_centre(std::span<const Item> items, std::span<std::int32_t> ranks) {
    const auto rank_of = [&](const Item& item) {
      return static_cast<std::size_t>(stats_.from_proc[item.object]);
    };
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Item& item : items) {
      sum_of_coordinates_[rank_of(item)] += item.coordinate;
      ++n_objects_[rank_of(item)];
      low = std::min(low, item.coordinate);
      high = std::max(high, item.coordinate);
    }
    // Put ranks without objects into the middle, because any position is valid for them.
    std::vector<std::pair<double, std::int32_t>> centres;
    for (const std::int32_t rank : ranks) {
      const auto index = static_cast<std::size_t>(rank);
      const double centre =
          n_objects_[index] > 0 ? sum_of_coordinates_[index] / n_objects_[index] : low / 2 + high / 2;
      centres.emplace_back(centre, rank);
    }
    std::ranges::sort(centres);
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = centres[i].second;
    for (const Item& item : items) {
      sum_of_coordinates_[rank_of(item)] = 0;
      n_objects_[rank_of(item)] = 0;
    }
  }

  /// Reorders items so that the first ones have the lowest coordinates and about the given load. Returns
  /// their number.
  std::size_t cut(std::span<Item> items, double load, std::span<const std::uint32_t> axes) const {
    const auto precedes = [&](const Item& one, const Item& other) {
      if (one.coordinate != other.coordinate) return one.coordinate < other.coordinate;
      const std::span<const double> here = stats_.position(one.object);
      const std::span<const double> there = stats_.position(other.object);
      for (const std::uint32_t axis : axes.subspan(1))
        if (here[axis] != there[axis]) return here[axis] < there[axis];
      return one.object < other.object;
    };
    // Use quickselect by load: items before `begin` are low, and items from `end` are high.
    std::size_t begin = 0;
    std::size_t end = items.size();
    while (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      const auto at = [&](std::size_t position) {
        return items.begin() + static_cast<std::ptrdiff_t>(position);
      };
      std::nth_element(at(begin), at(middle), at(end), precedes);
      double low = 0;
      for (std::size_t i = begin; i < middle; ++i) low += items[i].load;
      if (low <= load) {
        begin = middle;
        load -= low;
      } else {
        end = middle;
      }
    }
    // Put the last item on the side with the smaller error.
    return begin < end && items[begin].load / 2 <= load ? end : begin;
  }

  const LDStats& stats_;
  const ProcArray& procs_;
  std::vector<std::int32_t> placement_;
  std::vector<double> sum_of_coordinates_;  ///< sum of coordinates of each rank's objects
  std::vector<std::uint32_t> n_objects_;    ///< number of objects per rank; both vectors are 0 between calls
};

/// Places objects by recursive coordinate bisection of their positions. It splits the ranks into two groups,
/// and the objects by a plane across the longest side of their box. Each group gets the load with which both
/// groups finish together. The groups are split recursively. Objects with equal coordinates are distinguished
/// by their other coordinates, then by number, so many objects may share a position. The group whose objects
/// currently have lower coordinates gets the lower side, so that a second run migrates few objects. Keeps the
/// initial placement if it scores as well. One thread; O(objects log ranks + ranks log^2 ranks). Source: M.
/// J. Berger, S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", 1987;
/// OrbLB of Charm++ 6.10.
class OrbLB : public Strategy {
 public:
  explicit OrbLB(const Parameters& parameters)
      : Strategy("OrbLB", parameters), tolerance_(tolerance_of("OrbLB", parameters)) {}
  /// Also throws Error (usage) if objects have to be placed but positions are missing.
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    if (stats.n_migrateobjs() == 0) {
      stats.to_proc = stats.from_proc;
      return;
    }
    check_positions("OrbLB", stats);
    stats.to_proc = CoordinateBisection(stats, procs).place();
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_communication(tolerance_); }

 private:
  double tolerance_;
};

}  // namespace

StrategyInfo orb_lb_info() {
  return {
      .name = "OrbLB",
      .help = "gives each rank a compact box of objects by recursive bisection of their positions",
      .parameters = {{"tolerance", 1.05, "maximum load that counts as balanced, relative to the average"}},
      .make = make_strategy<OrbLB>,
      .needs = {.positions = true, .numbers = false},
      .keeps_shape = true};
}

}  // namespace plimsoll::balance
