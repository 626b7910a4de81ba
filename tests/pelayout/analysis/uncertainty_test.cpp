#include "pelayout/analysis/uncertainty.hpp"

#include <gtest/gtest.h>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using testing::measured;

/// The component's uncertainty for a model of the data, as computed by next_runs().
struct Known {
  explicit Known(Component data, ModelKind kind = ModelKind::fit)
      : component(std::move(data)),
        model(make_scaling_model(kind, component, 1, 1024)),
        uncertainty(component, 1, *model) {}
  Component component;
  std::unique_ptr<ScalingModel> model;
  Uncertainty uncertainty;
};

TEST(Uncertainty, DependsOnlyOnDistanceFromMeasurementsIfModelsAgree) {
  const Known perfect(measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4}));
  EXPECT_NEAR(perfect.uncertainty.share(8), 0, 0.01);
  EXPECT_NEAR(perfect.uncertainty.share(32), 0.05, 0.01);
  EXPECT_NEAR(perfect.uncertainty.share(128), 0.15, 0.01);
}

TEST(Uncertainty, GrowsIfModelsDisagree) {
  // On 2 tasks, the straight line between 1 and 4 gives 48 and the other models 32: they differ by a third of
  // the larger value.
  const Known few(measured("ATM", {1, 4, 16}, {64, 16, 4}), ModelKind::linear);
  EXPECT_NEAR(few.uncertainty.share(2), (48.0 - 32) / 48 + 0.05, 0.01);
}

TEST(Uncertainty, IncludesSpreadOfRepeats) {
  Component noisy = measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4});
  noisy.samples[3].repeats = 3;
  noisy.samples[3].minimum = 7;
  noisy.samples[3].maximum = 9;
  const Known known(noisy);
  EXPECT_NEAR(known.uncertainty.share(8), 0.25, 0.01);
  EXPECT_NEAR(known.uncertainty.share(2), 0, 0.01);
}

TEST(Uncertainty, IncludesThatSingleMeasurementDoesNotShowScaling) {
  // On 16 tasks, the cost is 4 if it scales perfectly, and 8 if it does not scale at all.
  const Known once(measured("ATM", {8}, {8}));
  EXPECT_NEAR(once.uncertainty.share(8), 0, 0.01);
  EXPECT_NEAR(once.uncertainty.share(16), 0.5 + 0.05, 0.01);
  EXPECT_NEAR(once.uncertainty.share(2), 0.75 + 0.1, 0.01);
}

TEST(Uncertainty, IncludesThatCurveThroughTwoMeasurementsShowsNoError) {
  const Known twice(measured("ATM", {8, 16}, {8, 4}));
  EXPECT_NEAR(twice.uncertainty.share(16), 0.1, 0.01);
  EXPECT_NEAR(twice.uncertainty.share(32), 0.15, 0.01);
}

TEST(Uncertainty, IsZeroForMeasuredZeroCost) {
  const Known nothing(measured("ATM", {8, 16}, {0, 0}), ModelKind::linear);
  EXPECT_NEAR(nothing.uncertainty.share(8), 0, 0.01);
}

TEST(Uncertainty, ReportsReason) {
  Component twice = measured("ATM", {64, 512}, {8, 1});
  twice.samples[1].repeats = 2;
  twice.samples[1].minimum = 0.9;
  twice.samples[1].maximum = 1.1;
  const Known known(twice);
  EXPECT_EQ(known.uncertainty.reason(1024), "beyond the 512 tasks measured");
  EXPECT_EQ(known.uncertainty.reason(32), "below the 64 tasks measured");
  EXPECT_EQ(known.uncertainty.reason(128), "no measurements between 64 and 512 tasks");
  EXPECT_EQ(known.uncertainty.reason(64), "measured once");
  EXPECT_EQ(known.uncertainty.reason(512), "2 measurements that differ by 20.0 %");
}

}  // namespace
}  // namespace plimsoll::pelayout
