// Tests a build of frame_names.cpp for a machine without the headers of libdw.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/internal/frame_names.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

extern "C" int function_of_this_program() {
  return 0;
}

namespace {

using ::testing::MatchesRegex;

TEST(FrameNamesWithoutLibdw, ConsistOfModuleAndAddress) {
  EXPECT_EQ(FrameNames().describe("/bin/app", 0x1a2b), "/bin/app [0x1a2b]");
  const auto code = module_of(reinterpret_cast<void*>(&function_of_this_program));
  ASSERT_TRUE(code);
  for (const std::uint64_t offset : {UINT64_MAX, std::uint64_t{1} << 40, std::uint64_t{0}, std::uint64_t{1}})
    EXPECT_THAT(FrameNames().describe(code->module_path, offset), MatchesRegex("[^(]* \\[0x[0-9a-f]+\\]"));
}

TEST(FrameNamesWithoutLibdw, ContainFunctionsOfSymbolTable) {
  const auto code = module_of(reinterpret_cast<void*>(&function_of_this_program));
  ASSERT_TRUE(code);
  EXPECT_THAT(FrameNames().describe(code->module_path, code->offset + 2),
              MatchesRegex(".*\\(function_of_this_program\\+0x2\\) \\[0x[0-9a-f]+\\]"));
}

TEST(FrameNamesWithoutLibdw, ContainFunctionsOfCxxAsInTheSource) {
  const auto code = module_of(reinterpret_cast<void*>(&module_of));
  ASSERT_TRUE(code);
  EXPECT_THAT(FrameNames().describe(code->module_path, code->offset + 1),
              ::testing::HasSubstr("collectives::module_of(void const*)+0x1)"));
}

TEST(FrameNamesWithoutLibdw, ContainDynamicSymbolsOfStrippedLibraries) {
  void* const library = ::dlopen(PLIMSOLL_STRIPPED_LIBRARY, RTLD_LAZY);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto code = module_of(::dlsym(library, "named_by_dynamic_symbol"));
  ASSERT_TRUE(code);
  EXPECT_THAT(FrameNames().describe(code->module_path, code->offset + 1),
              MatchesRegex(".*\\(named_by_dynamic_symbol\\+0x1\\) \\[0x[0-9a-f]+\\]"));
}

}  // namespace
}  // namespace plimsoll::collectives
