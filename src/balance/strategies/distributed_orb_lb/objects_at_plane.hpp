#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "balance/strategies/distributed_orb_lb/bisection.hpp"
#include "balance/strategies/distributed_orb_lb/group_content.hpp"
#include "balance/strategies/distributed_orb_lb/plane_search.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Objects of a rank, while the digits of their places decide on which side of a plane they are.
class ObjectsAtPlane {
 public:
  /// `to_decide`: false if the group of the rank does not split.
  ObjectsAtPlane(const std::vector<BisectionObject>& objects, const GroupContent& content, bool to_decide);

  /// Returns the histogram of the objects that previous digits have not decided.
  PlaceHistogram histogram(int digit) const;
  /// Decides for the objects that are not in the bin of the plane, or for all. Returns how many remain.
  std::size_t decide(const PlaneBin& plane, int digit);
  /// Returns for each object whether it is below the plane.
  const std::vector<bool>& are_below() const { return are_below_; }

 private:
  std::vector<bool> are_below_;
  std::vector<PlaceInBox> places_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> undecided_;
};

}  // namespace plimsoll::balance
