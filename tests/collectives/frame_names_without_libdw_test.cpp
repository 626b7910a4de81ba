// Tests a build of frame_names.cpp for a machine without the headers of libdw.

#include <gtest/gtest.h>

#include <plimsoll/collectives/internal/frame_names.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(FrameNamesWithoutLibdw, ConsistOfModuleAndAddress) {
  const auto code = module_of(reinterpret_cast<void*>(&module_of));
  ASSERT_TRUE(code);
  EXPECT_EQ(FrameNames().describe("/bin/app", 0x1a2b), "/bin/app [0x1a2b]");
  const std::string text = FrameNames().describe(code->module_path, code->offset);
  EXPECT_EQ(text.substr(0, text.find(" [0x")), code->module_path);
  EXPECT_EQ(text.back(), ']');
}

}  // namespace
}  // namespace plimsoll::collectives
