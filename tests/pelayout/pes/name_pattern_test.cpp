#include "pelayout/pes/name_pattern.hpp"

#include <gtest/gtest.h>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(NamePatterns, SearchesEachPatternOnce) {
  NamePatterns patterns;
  EXPECT_TRUE(patterns.is_found("g1[67]", "f09_g17"));
  EXPECT_FALSE(patterns.is_found("g1[67]", "T62_g37"));
  const std::uint64_t work = patterns.work();
  EXPECT_GT(work, 0U);
  for (int k = 0; k < 1000; ++k) EXPECT_TRUE(patterns.is_found("g1[67]", "f09_g17"));
  EXPECT_EQ(patterns.work(), work);
}

// Searching a file with 58 KB of expressions again for each of its sizes took 22 s.
TEST(NamePatterns, LimitsTotalSearchWork) {
  NamePatterns patterns;
  const std::string name(1000, 'a');
  EXPECT_ERROR(
      for (int k = 0; k < 100'000;
           ++k) { patterns.is_found("b" + std::to_string(k) + std::string(490, 'c'), name); },
      bad_input, "too long to search");
  EXPECT_LE(patterns.work(), 10'000'000U);
}

}  // namespace
}  // namespace plimsoll::pelayout
