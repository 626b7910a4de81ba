#include "balance/strategies/distributed_orb_lb/plane_search.hpp"

#include <algorithm>
#include <limits>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr int bits_per_digit = 6;
constexpr int bits_per_axis = 20;
constexpr int digits_of_position = 3 * bits_per_axis / bits_per_digit;

/// Returns the place of a coordinate between the ends of a side, from 0 to 2^20 - 1.
std::uint64_t place_along(double coordinate, double low, double high) {
  // Use halves, because the difference of two large coordinates may overflow.
  const double length = high / 2 - low / 2;
  if (!(length > 0)) return 0;
  constexpr std::uint64_t n_places = std::uint64_t{1} << bits_per_axis;
  const double place = (coordinate / 2 - low / 2) / length * static_cast<double>(n_places);
  return std::min(static_cast<std::uint64_t>(std::max(place, 0.0)), n_places - 1);
}

}  // namespace

PlaceInBox::PlaceInBox(const BisectionObject& object, const std::array<double, 3>& low,
                       const std::array<double, 3>& high, const std::array<std::size_t, 3>& axes)
    : number(object.number) {
  for (const std::size_t axis : axes)
    position = (position << bits_per_axis) + place_along(object.position[axis], low[axis], high[axis]);
}

std::size_t PlaceInBox::digit(int index) const {
  const std::uint64_t digits = index < digits_of_position ? position : number;
  const int after = (index < digits_of_position ? digits_of_position - 1 : n_digits - 1) - index;
  return (digits >> (bits_per_digit * after)) % n_bins;
}

void PlaceHistogram::add(double weight, std::size_t bin) {
  weights[bin] += weight;
  counts[bin] += counts[bin] < std::numeric_limits<std::uint32_t>::max() ? 1 : 0;
}

void PlaceHistogram::add(const PlaceHistogram& other) {
  for (std::size_t bin = 0; bin < weights.size(); ++bin) {
    weights[bin] += other.weights[bin];
    const std::uint32_t room = std::numeric_limits<std::uint32_t>::max() - counts[bin];
    counts[bin] += std::min(room, other.counts[bin]);
  }
}

PlaneBin PlaneSearch::next(const PlaceHistogram& histogram, int index) {
  if (target_ <= 0) return {0, PlaneBin::Side::above};
  if (target_ >= total_) return {PlaceInBox::n_bins - 1, PlaneBin::Side::below};
  std::size_t bin = 0;
  std::size_t last = 0;  // with objects
  for (std::size_t each = 0; each < PlaceInBox::n_bins; ++each)
    if (histogram.counts[each] > 0) last = each;
  while (bin < last && below_ + histogram.weights[bin] < target_) below_ += histogram.weights[bin++];
  const double weight = histogram.weights[bin];
  const bool is_last =
      histogram.counts[bin] <= 1 || weight <= tolerance_ || index + 1 == PlaceInBox::n_digits;
  if (!is_last) return {static_cast<std::int32_t>(bin), PlaneBin::Side::undecided};
  const bool below = below_ + weight / 2 <= target_;
  return {static_cast<std::int32_t>(bin), below ? PlaneBin::Side::below : PlaneBin::Side::above};
}

}  // namespace plimsoll::balance
