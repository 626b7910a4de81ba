#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>
namespace plimsoll::PLIMSOLL_ABI::balance {

/// Splits the migratable objects among the available ranks by planes, see OrbLB.
class Bisection {
 public:
  /// The stats have positions and an available rank. Both arguments must outlive this object.
  Bisection(const LDStats& stats, const ProcArray& procs);

  /// Returns the rank of each object; for a non-migratable object, from_proc.
  std::vector<std::int32_t> place();

 private:
  struct Item {
    double coordinate;  ///< coordinate along the axis of the cut
    double load;
    std::uint32_t object;
  };

  void split(std::span<Item> items, std::span<std::int32_t> ranks);
  /// Returns the axes, with the longest side of the objects' box first.
  std::vector<std::uint32_t> axes_by_extent(std::span<const Item> items) const;
  /// Sorts ranks by the positions of their objects along the axis of the coordinates.
  void order_by_centre(std::span<const Item> items, std::span<std::int32_t> ranks);
  /// Reorders items so that the first ones have the lowest coordinates and about the given load. Returns
  /// their number.
  std::size_t cut(std::span<Item> items, double load, std::span<const std::uint32_t> axes) const;

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
  static StrategyInfo info();
  explicit OrbLB(const Parameters& parameters);
  /// Also throws Error (usage) if objects have to be placed but positions are missing.
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return communication_score(stats, placement, tolerance_);
  }

 private:
  double tolerance_;
};

}  // namespace plimsoll::balance
