#include "balance/strategies/distributed_orb_lb/objects_at_plane.hpp"

#include <array>
#include <numeric>

namespace plimsoll::PLIMSOLL_ABI::balance {

ObjectsAtPlane::ObjectsAtPlane(const std::vector<BisectionObject>& objects, const GroupContent& content,
                               bool to_decide)
    : are_below_(objects.size()) {
  if (!to_decide) return;
  const std::array<std::size_t, 3> axes = axes_by_length(content);
  places_.reserve(objects.size());
  weights_.reserve(objects.size());
  for (const BisectionObject& object : objects) {
    places_.emplace_back(object, content.low, content.high, axes);
    weights_.push_back(content.load > 0 ? object.load : 1);
  }
  undecided_.resize(objects.size());
  std::iota(undecided_.begin(), undecided_.end(), 0U);
}

PlaceHistogram ObjectsAtPlane::histogram(int digit) const {
  PlaceHistogram histogram;
  for (const std::uint32_t object : undecided_) histogram.add(weights_[object], places_[object].digit(digit));
  return histogram;
}

std::size_t ObjectsAtPlane::decide(const PlaneBin& plane, int digit) {
  std::erase_if(undecided_, [&](std::uint32_t object) {
    const auto bin = static_cast<std::int32_t>(places_[object].digit(digit));
    if (bin == plane.bin && plane.side == PlaneBin::Side::undecided) return false;
    are_below_[object] = bin < plane.bin || (bin == plane.bin && plane.side == PlaneBin::Side::below);
    return true;
  });
  return undecided_.size();
}

}  // namespace plimsoll::balance
