// Memory that the process keeps for elements that arrive. These settings of glibc apply to the whole process
// and cannot be undone: the cases run in this order.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include <plimsoll/objects.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

/// Whether malloc maps a block separately, and therefore returns it when it is freed. By default, it does
/// this for blocks larger than any that was freed before: each call needs a larger one.
bool is_mapped(std::size_t mebibytes) {
  const auto before = mallinfo2().hblks;
  const std::vector<char> block(mebibytes << 20);
  return mallinfo2().hblks > before;
}

class FreedMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool maps_blocks = is_mapped(16);
    if (!maps_blocks) GTEST_SKIP() << "another malloc, such as that of a sanitiser, is in use";
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true}};
};

TEST_F(FreedMemory, IsReturnedOnRequest) {
  const ObjectSystem system(recorder, {.keep_freed_memory = false});
  EXPECT_TRUE(is_mapped(20));
}

TEST_F(FreedMemory, IsReturnedIfTheEnvironmentHasSettings) {
  ::setenv("MALLOC_TRIM_THRESHOLD_", "131072", 1);
  { const ObjectSystem system(recorder); }
  ::unsetenv("MALLOC_TRIM_THRESHOLD_");
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=131072", 1);
  { const ObjectSystem system(recorder); }
  ::unsetenv("GLIBC_TUNABLES");
  EXPECT_TRUE(is_mapped(24));
}

TEST_F(FreedMemory, IsKeptByDefault) {
  const ObjectSystem system(recorder);
  EXPECT_FALSE(is_mapped(28));
}

}  // namespace
}  // namespace plimsoll::objects
