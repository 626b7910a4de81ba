#include "pelayout/models/curve_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

ScalingCurve hslb_fit(const Component& component) {
  std::vector<WeightedPoint> points;
  for (const Sample& sample : component.samples)
    points.push_back({static_cast<double>(sample.tasks), sample.cost, 1});
  return least_squares(points, {.growing = true, .constant = true});
}

// For these data, the first generation of CIME's tool recorded ATM 1006, ICE 889, LND 117, OCN 18 and 28.749
// s per day. Another unweighted fit of the same form gives 28.776.
TEST(LeastSquares, ReproducesRecordedLayoutOfExample) {
  const ScalingCurve atm = hslb_fit(testing::example_atm());
  const ScalingCurve ocn = hslb_fit(testing::example_ocn());
  const ScalingCurve lnd = hslb_fit(testing::example_lnd());
  const ScalingCurve ice = hslb_fit(testing::example_ice());
  double best = std::numeric_limits<double>::infinity();
  for (int n_atm = 2; n_atm < 1024; ++n_atm) {
    double surface = std::numeric_limits<double>::infinity();
    for (int n_ice = 1; n_ice < n_atm; ++n_ice)
      surface = std::min(surface, std::max(ice(n_ice), lnd(n_atm - n_ice)));
    double ocean = std::numeric_limits<double>::infinity();
    for (int n_ocn = 1; n_ocn <= 1024 - n_atm; ++n_ocn) ocean = std::min(ocean, ocn(n_ocn));
    best = std::min(best, std::max(surface + atm(n_atm), ocean));
  }
  EXPECT_NEAR(best, 28.776, 0.005 * 28.776);
  EXPECT_NEAR(std::max(ice(889), lnd(117)) + atm(1006), best, 0.001 * best);
}

}  // namespace
}  // namespace plimsoll::pelayout
