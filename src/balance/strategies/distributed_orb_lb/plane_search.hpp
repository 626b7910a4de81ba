#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "balance/strategies/distributed_orb_lb/bisection.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Order of the objects of a group: by coordinate along the longest side of their box, then along the other
/// sides, then by number. The order is a number with digits, the first of which matters most.
struct PlaceInBox {
  static constexpr std::size_t n_bins = 64;  ///< values of a digit
  static constexpr int n_digits = 21;

  std::uint64_t position = 0;
  std::uint64_t number = 0;

  /// `low` and `high` are opposite corners of the box; `axes` are sorted by the length of the side.
  PlaceInBox(const BisectionObject& object, const std::array<double, 3>& low,
             const std::array<double, 3>& high, const std::array<std::size_t, 3>& axes);
  std::size_t digit(int index) const;
};

/// Histogram of the objects of a rank or group by one digit of their places.
struct PlaceHistogram {
  std::array<double, PlaceInBox::n_bins> weights = {};
  std::array<std::uint32_t, PlaceInBox::n_bins> counts = {};  ///< more than 2^32 - 1 count as that many

  void add(double weight, std::size_t bin);
  void add(const PlaceHistogram& other);
};

/// Where a plane lies, as far as digits before tell: objects in lower bins are below it, those in higher bins
/// above. Those in the bin are below or above, or the next digit tells.
struct PlaneBin {
  enum class Side : std::int32_t { below, above, undecided };
  std::int32_t bin = 0;
  Side side = Side::undecided;
};

/// Searches the plane of one group with the histograms of its digits.
class PlaneSearch {
 public:
  /// The objects below the plane shall weigh `target` of `total`, and may miss it by `tolerance`.
  PlaneSearch(double target, double total, double tolerance)
      : target_(target), total_(total), tolerance_(tolerance) {}

  /// Returns the bin of digit `index` in which the plane lies.
  PlaneBin next(const PlaceHistogram& histogram, int index);

 private:
  double target_;
  double total_;
  double tolerance_;
  double below_ = 0;  // weight of the objects that are below for certain
};

}  // namespace plimsoll::balance
