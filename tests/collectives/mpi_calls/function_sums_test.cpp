#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <plimsoll/collectives/internal/function_sums.hpp>

namespace plimsoll::collectives {
namespace {

/// Returns the class of a size by its definition: the first one that is large enough.
std::size_t expected_class(std::uint64_t bytes) {
  std::uint64_t max_bytes = 16;
  if (bytes == 0) return 0;
  std::size_t number = 1;
  for (; number + 1 < SizeClasses::classes && bytes > max_bytes; ++number) max_bytes *= 4;
  return number;
}

TEST(SizeClasses, GrowByFactorsOfFour) {
  EXPECT_EQ(SizeClasses::max_bytes(0), 0u);
  EXPECT_EQ(SizeClasses::max_bytes(1), 16u);
  EXPECT_EQ(SizeClasses::max_bytes(2), 64u);
  EXPECT_EQ(SizeClasses::max_bytes(14), std::uint64_t{1} << 30);
}

TEST(SizeClasses, ContainTheSizesUpToTheirMaximum) {
  for (std::uint64_t bytes = 0; bytes < 5000; ++bytes)
    EXPECT_EQ(SizeClasses::class_of(bytes), expected_class(bytes)) << bytes;
  for (int bits = 12; bits < 64; ++bits)
    for (const int difference : {-1, 0, 1}) {
      const std::uint64_t bytes = (std::uint64_t{1} << bits) + static_cast<std::uint64_t>(difference);
      EXPECT_EQ(SizeClasses::class_of(bytes), expected_class(bytes)) << bytes;
    }
  EXPECT_EQ(SizeClasses::class_of(std::numeric_limits<std::uint64_t>::max()), 15u);
}

TEST(FunctionSums, AddUp) {
  FunctionSums sums;
  sums.sizes.add(16, 100);
  sums.sizes.add(17, 200);
  sums.windows.add(0, 300);
  FunctionSums others;
  others.sizes.add(1, 50);
  others.windows.add(1'000, 1'050);
  sums.add(others);
  EXPECT_EQ(sums.sizes[1], (SizeClasses::Sums{2, 150}));
  EXPECT_EQ(sums.sizes[2], (SizeClasses::Sums{1, 200}));
  EXPECT_EQ(sums.windows.times_ns()[0], 350u);
}

}  // namespace
}  // namespace plimsoll::collectives
