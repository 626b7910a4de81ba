#include <gtest/gtest.h>

#include <plimsoll/support/internal/loaded_library.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(LoadedLibrary, FindsLibraryByNameIfPathDoesNotExist) {
  LoadedLibrary library("/absent/libm.so.6");
  double (*const cube_root)(double) = library.function("cbrt");
  EXPECT_NO_THROW(library.expect_usable("the C library", ""));
  ASSERT_TRUE(library.is_usable());
  EXPECT_DOUBLE_EQ(cube_root(27), 3);
}

TEST(LoadedLibrary, NamesMissingLibrary) {
  LoadedLibrary library("/absent/libplimsoll-absent.so.1");
  void (*const function)() = library.function("function");
  EXPECT_EQ(function, nullptr);
  EXPECT_FALSE(library.is_usable());
  EXPECT_ERROR(library.expect_usable("Absent", "use another"), system,
               "cannot load Absent: libplimsoll-absent.so.1: cannot open shared object file");
}

TEST(LoadedLibrary, NamesMissingFunction) {
  LoadedLibrary library("libm.so.6");
  void (*const function)() = library.function("plimsoll_absent");
  double (*const cube_root)(double) = library.function("cbrt");
  EXPECT_EQ(function, nullptr);
  EXPECT_NE(cube_root, nullptr);
  EXPECT_ERROR(library.expect_usable("Absent", ""), system, "undefined symbol: plimsoll_absent");
}

}  // namespace
}  // namespace plimsoll::support
