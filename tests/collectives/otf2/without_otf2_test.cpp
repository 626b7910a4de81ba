// Tests a build of write_otf2_trace.cpp without the OTF2 library.
#include <gtest/gtest.h>

#include <plimsoll/collectives/traces.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

TEST(WithoutOtf2, ReportsPackageToInstall) {
  EXPECT_ERROR(write_otf2_trace(Profile(), "trace"), usage, "install the package libopen-trace-format2-dev");
}

}  // namespace
}  // namespace plimsoll::collectives
