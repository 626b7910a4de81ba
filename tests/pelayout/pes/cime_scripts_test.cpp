#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <plimsoll/pelayout/submission.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

class CimeScripts : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("CIMEROOT");
    ::unsetenv("CIME_DIR");
  }
  void TearDown() override { SetUp(); }
};

TEST_F(CimeScripts, PrefersGivenDirectoryToEnvironment) {
  EXPECT_ERROR(cime_scripts_folder("", false), usage, "the directory of CIME is not set");
  ::setenv("CIME_DIR", "/one", 1);
  EXPECT_EQ(cime_scripts_folder("", false), "/one/scripts");
  ::setenv("CIMEROOT", "/two/", 1);
  EXPECT_EQ(cime_scripts_folder("", false), "/two/scripts");
  EXPECT_EQ(cime_scripts_folder("/three/./a/..", false), "/three/scripts");
}

TEST_F(CimeScripts, RequiresCreateNewcaseOnRequest) {
  const plimsoll::testing::TemporaryFolder folder;
  EXPECT_ERROR(cime_scripts_folder(folder.path(), true), usage,
               "CIME's create_newcase is not in " + folder.path() + "/scripts");
  std::filesystem::create_directory(folder / "scripts");
  folder.write("scripts/create_newcase", "");
  EXPECT_EQ(cime_scripts_folder(folder.path(), true), folder / "scripts");
}

TEST(AbsoluteFolder, RemovesDotsAndTrailingSlash) {
  EXPECT_EQ(absolute_folder("."), std::filesystem::current_path().string());
  EXPECT_EQ(absolute_folder("/a/b/../c/"), "/a/c");
}

}  // namespace
}  // namespace plimsoll::pelayout
