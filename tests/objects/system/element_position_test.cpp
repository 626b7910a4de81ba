#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <plimsoll/objects.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::int64_t n_points = 24;

std::int64_t place_of(std::int64_t index) {
  return 7 * index % n_points;
}

/// Element on a line. The constructor of elements that have migrated does not set a position.
struct Point : Element<Point> {
  Point() = default;
  explicit Point(double spacing) {
    set_position(std::array{spacing * static_cast<double>(place_of(index()[0]))});
  }
  template <class Archive>
  void serialize(Archive&) {}
};

TEST(ElementPositions, AreKnownToStrategiesAndMigrateAlong) {
  LoadRecorder recorder(
      MPI_COMM_WORLD,
      {.lb = true, .lb_name = "OrbLB", .lb_run_lb_first_phase = true, .lb_quiet = true, .lb_when = "always"});
  ObjectSystem system(recorder);
  Collection<Point> points(system, {.bounds = {{n_points}}}, 0.5);
  // Number of neighbours on the line that are on different ranks.
  const auto cuts = [&] {
    std::vector<std::int64_t> ranks(n_points);
    points.for_each_local([&](const Point& point) { ranks[place_of(point.index()[0])] = system.rank(); });
    int count = 0;
    for (std::size_t k = 0; k < n_points; ++k) {
      ranks[k] = recorder.communicator().sum(ranks[k]);
      if (k > 0 && ranks[k] != ranks[k - 1]) ++count;
    }
    return count;
  };
  for (const int rank : {0, system.rank_count() - 1}) {
    points.for_each_local([&](Point& point) { point.migrate_to(rank); });
    system.run_until_quiet();
    points.for_each_local([](Point& point) { point.set_obj_time(1); });
    system.next_phase();
    EXPECT_EQ(cuts(), system.rank_count() - 1);
  }
}

}  // namespace
}  // namespace plimsoll::objects
