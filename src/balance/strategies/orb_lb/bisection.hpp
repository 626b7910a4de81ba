#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

/// Splits the migratable objects among the available ranks by planes, see OrbLB.
class Bisection {
 public:
  /// The stats must have positions and an available rank, and both outlive this.
  Bisection(const LDStats& stats, const ProcArray& procs);

  /// The rank of each object; that of a sentinel is from_proc.
  std::vector<std::int32_t> place();

 private:
  struct Item {
    double coordinate;  ///< along the axis of the cut
    double load;
    std::uint32_t object;
  };

  void split(std::span<Item> items, std::span<std::int32_t> ranks);
  /// The axes, that of the longest side of the objects' box first.
  std::vector<std::uint32_t> axes_by_extent(std::span<const Item> items) const;
  /// Orders ranks by where their objects are along the axis that the coordinates are of.
  void order_by_centre(std::span<const Item> items, std::span<std::int32_t> ranks);
  /// Arranges items so that the first, of as many as returned, have about the load given and the lowest
  /// coordinates.
  std::size_t cut(std::span<Item> items, double load, std::span<const std::uint32_t> axes) const;

  const LDStats& stats_;
  const ProcArray& procs_;
  std::vector<std::int32_t> placement_;
  std::vector<double> sum_of_coordinates_;  ///< of each rank's objects, and
  std::vector<std::uint32_t> n_objects_;    ///< how many there are; both 0 between calls
};

}  // namespace plimsoll::balance
