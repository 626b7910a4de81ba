#include "balance/strategies/tempered_lb/object_order.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns the load of the lightest object that suffices alone; infinity if none does.
double lightest_sufficient(const std::vector<RankObject>& objects, double excess) {
  double lightest = std::numeric_limits<double>::infinity();
  for (const RankObject& object : objects)
    if (object.load >= excess) lightest = std::min(lightest, object.load);
  return lightest;
}

/// Returns the load of the heaviest object without which all lighter objects together do not suffice.
/// `objects` are sorted by descending load.
double heaviest_needed(const std::vector<RankObject>& objects, double excess) {
  double lighter = 0;
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
    lighter += object->load;
    if (lighter >= excess) return object->load;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void sort_objects(std::vector<RankObject>& objects, ObjectOrder order, double excess) {
  if (order == ObjectOrder::arbitrary) return;
  if (order == ObjectOrder::by_id) {
    std::ranges::sort(objects, {}, &RankObject::id);
    return;
  }
  std::ranges::sort(objects, {},
                    [](const RankObject& object) { return std::tuple(-object.load, object.id); });
  if (order == ObjectOrder::largest_objects) return;
  const double first = order == ObjectOrder::fewest_migrations ? lightest_sufficient(objects, excess)
                                                               : heaviest_needed(objects, excess);
  // Objects above `first` come last, the lightest of them first.
  const auto from_first =
      std::ranges::find_if(objects, [&](const RankObject& object) { return object.load <= first; });
  std::reverse(objects.begin(), from_first);
  std::rotate(objects.begin(), from_first, objects.end());
}

}  // namespace plimsoll::balance
