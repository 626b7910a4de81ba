#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Splits the migratable objects among the available ranks by planes, see OrbLB.
class Bisection {
 public:
  /// Requires stats with positions and an available rank. Both arguments must outlive this object.
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

}  // namespace plimsoll::balance
