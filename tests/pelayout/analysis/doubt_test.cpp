#include "pelayout/analysis/doubt.hpp"

#include <gtest/gtest.h>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::pelayout {
namespace {

using testing::measured;

/// The component's doubt as next_runs() has it for a model of the data.
struct Known {
  explicit Known(Component data, ModelKind kind = ModelKind::fit)
      : component(std::move(data)),
        model(make_scaling_model(kind, component, 1, 1024)),
        doubt(component, 1, *model) {}
  Component component;
  std::unique_ptr<ScalingModel> model;
  Doubt doubt;
};

TEST(Doubt, IsTheDistanceOnlyWhereAllModelsAgree) {
  const Known perfect(measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4}));
  EXPECT_NEAR(perfect.doubt.share(8), 0, 0.01);
  EXPECT_NEAR(perfect.doubt.share(32), 0.05, 0.01);
  EXPECT_NEAR(perfect.doubt.share(128), 0.15, 0.01);
}

TEST(Doubt, GrowsWhereModelsDisagree) {
  // Between 1 and 4 a straight line says 40 at 2 tasks, a power law 32: a fifth of the greater.
  const Known few(measured("ATM", {1, 4, 16}, {64, 16, 4}), ModelKind::linear);
  EXPECT_NEAR(few.doubt.share(2), (48.0 - 32) / 48 + 0.05, 0.01);
}

TEST(Doubt, HasTheSpreadOfRepeats) {
  Component noisy = measured("ATM", {1, 2, 4, 8, 16}, {64, 32, 16, 8, 4});
  noisy.samples[3].repeats = 3;
  noisy.samples[3].least = 7;
  noisy.samples[3].greatest = 9;
  const Known known(noisy);
  EXPECT_NEAR(known.doubt.share(8), 0.25, 0.01);
  EXPECT_NEAR(known.doubt.share(2), 0, 0.01);
}

TEST(Doubt, OfOneMeasurementIsTheDistanceFromIt) {
  const Known once(measured("ATM", {8}, {8}));
  EXPECT_NEAR(once.doubt.share(8), 0, 0.01);
  EXPECT_NEAR(once.doubt.share(16), 0.05, 0.01);
  EXPECT_NEAR(once.doubt.share(2), 0.1, 0.01);
}

TEST(Doubt, OfWhatCostsNothingIsTheDistance) {
  const Known nothing(measured("ATM", {8, 16}, {0, 0}), ModelKind::linear);
  EXPECT_NEAR(nothing.doubt.share(8), 0, 0.01);
}

TEST(Doubt, SaysWhy) {
  Component twice = measured("ATM", {64, 512}, {8, 1});
  twice.samples[1].repeats = 2;
  twice.samples[1].least = 0.9;
  twice.samples[1].greatest = 1.1;
  const Known known(twice);
  EXPECT_EQ(known.doubt.reason(1024), "beyond the 512 tasks measured");
  EXPECT_EQ(known.doubt.reason(32), "below the 64 tasks measured");
  EXPECT_EQ(known.doubt.reason(128), "between 64 and 512 tasks, nothing measured");
  EXPECT_EQ(known.doubt.reason(64), "measured once");
  EXPECT_EQ(known.doubt.reason(512), "2 measurements, 20.0 % apart");
}

}  // namespace
}  // namespace plimsoll::pelayout
