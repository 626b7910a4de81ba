#include <gtest/gtest.h>

#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {
namespace {

TEST(ScalingModel, IsKnownByItsName) {
  for (const ModelKind kind : {ModelKind::cime, ModelKind::linear, ModelKind::fit}) {
    EXPECT_EQ(model_kind(to_string(kind)), kind);
  }
}

TEST(ScalingModel, SuggestsTheNameThatWasMeant) {
  try {
    model_kind("liner");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.diagnostic().suggestion.find("\"linear\""), std::string::npos);
  }
}

}  // namespace
}  // namespace plimsoll::pelayout
