#include <gtest/gtest.h>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(ScalingModel, IsFoundByName) {
  for (const ModelKind kind : {ModelKind::cime, ModelKind::linear, ModelKind::fit}) {
    EXPECT_EQ(model_kind(to_string(kind)), kind);
  }
}

TEST(ScalingModel, SuggestsNearestName) {
  EXPECT_ERROR(model_kind("liner"), usage, "did you mean \"linear\"?");
}

}  // namespace
}  // namespace plimsoll::pelayout
