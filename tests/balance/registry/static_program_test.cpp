// Tests a build of loaded_library.cpp for a statically linked command.
#include <gtest/gtest.h>

#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(StaticProgram, RejectsPlugins) {
  EXPECT_ERROR(load_strategy_plugin("libFooLB.so"), usage,
               "libFooLB.so: this Plimsoll is statically linked, and cannot load plug-ins; use a strategy");
}

TEST(StaticProgram, LoadsNoLibrary) {
  EXPECT_FALSE(support::can_load_libraries());
  const support::LoadedLibrary library("libm.so.6");
  EXPECT_ERROR(library.expect_usable("METIS", "use Scotch"), system,
               "cannot load METIS: this Plimsoll is statically linked");
}

}  // namespace
}  // namespace plimsoll::balance
