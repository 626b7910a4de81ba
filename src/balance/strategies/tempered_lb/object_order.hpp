#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Object that ranks hand over to each other.
struct RankObject {
  double load = 0;       ///< load in seconds at speed 1
  std::uint64_t id = 0;  ///< unique among all ranks
  friend bool operator==(const RankObject&, const RankObject&) = default;
};

/// Order in which the objects of an overloaded rank are offered to other ranks.
enum class ObjectOrder {
  arbitrary,          ///< the order in which the rank received them
  by_id,              ///< by ascending RankObject::id
  fewest_migrations,  ///< first the lightest object that alone suffices, then lighter ones
  small_objects,      ///< first the heaviest object that the lighter ones need to suffice
  largest_objects,    ///< by descending load
};

/// Sorts the objects of a rank whose load exceeds its target by `excess`. Equal loads are sorted by number.
/// O(n log n). Source: orderings of vt's TemperedLB.
void sort_objects(std::vector<RankObject>& objects, ObjectOrder order, double excess);

}  // namespace plimsoll::balance
