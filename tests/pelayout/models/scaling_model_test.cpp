#include <gtest/gtest.h>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(ScalingModel, IsFoundByName) {
  for (const ModelKind kind : {ModelKind::cime, ModelKind::linear, ModelKind::fit}) {
    EXPECT_EQ(support::value_of(model_kinds, to_string(kind), "model"), kind);
  }
}

TEST(ScalingModel, SuggestsNearestName) {
  EXPECT_ERROR(support::value_of(model_kinds, "liner", "model"), usage, "did you mean \"linear\"?");
}

}  // namespace
}  // namespace plimsoll::pelayout
