#include "runtime/manager/rank_monitor.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// Tasks with a load of 1 s, of which the first `n_changed` have another one.
lbdata::Tasks tasks(std::size_t n, std::size_t n_changed = 0, double changed_s = 1) {
  lbdata::Tasks result;
  for (std::size_t task = 0; task < n; ++task) {
    result.entity.push_back(static_cast<lbdata::EntityIndex>(task));
    result.time_s.push_back(task < n_changed ? changed_s : 1.0);
  }
  return result;
}

TEST(LoadChanges, AreManyIfAQuarterOfTheObjectsChangesToTheSameSide) {
  for (const std::size_t n : {8, 100, 100'000}) {
    EXPECT_EQ(many_loads_changed(tasks(n), tasks(n)), false) << n;
    for (const double changed_s : {1.3, 1 / 1.3}) {
      EXPECT_EQ(many_loads_changed(tasks(n, n, changed_s), tasks(n)), true) << n;
      EXPECT_EQ(many_loads_changed(tasks(n, n / 4 + 1, changed_s), tasks(n)), true) << n;
      EXPECT_EQ(many_loads_changed(tasks(n, n / 8, changed_s), tasks(n)), false) << n;
    }
  }
}

TEST(LoadChanges, AreNotManyIfSmall) {
  EXPECT_EQ(many_loads_changed(tasks(100, 100, 1.1), tasks(100)), false);
  EXPECT_EQ(many_loads_changed(tasks(100, 100, 1 / 1.1), tasks(100)), false);
}

TEST(LoadChanges, AreUnknownForOtherObjectsAndForFew) {
  EXPECT_EQ(many_loads_changed(tasks(100), tasks(101)), std::nullopt);
  EXPECT_EQ(many_loads_changed(tasks(7, 7, 2), tasks(7)), std::nullopt);
  EXPECT_EQ(many_loads_changed(tasks(100, 100, 0), tasks(100)), std::nullopt) << "without load";
}

}  // namespace
}  // namespace plimsoll::runtime
