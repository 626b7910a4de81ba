#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include <plimsoll/collectives/internal/recorder.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

template <class Element>
constexpr bool holds = std::is_constructible_v<IntegerSpan, const Element*>;

static_assert(holds<int> && holds<long> && holds<long long>);
static_assert(!holds<float> && !holds<double> && !holds<unsigned> && !holds<short> && !holds<void*>);
static_assert(!std::is_convertible_v<const int*, IntegerSpan>);

TEST(IntegerSpan, ReadsBothWidths) {
  const std::array<std::int32_t, 3> narrow = {1, -2, 3};
  const std::array<std::int64_t, 3> wide = {1, -2, std::int64_t{1} << 40};
  const IntegerSpan ints(narrow.data(), narrow.size());
  const IntegerSpan counts(wide.data(), wide.size());
  EXPECT_FALSE(ints.wide());
  EXPECT_TRUE(counts.wide());
  EXPECT_EQ(ints[1], -2);
  EXPECT_EQ(counts[2], std::int64_t{1} << 40);
  EXPECT_EQ(ints.bytes(), 12U);
  EXPECT_EQ(counts.bytes(), 24U);
}

TEST(IntegerSpan, ReturnsPartOfSpanWithoutSize) {
  const std::array<std::int32_t, 3> numbers = {5, 6, 7};
  const IntegerSpan unsized(numbers.data());
  EXPECT_TRUE(unsized.given());
  EXPECT_EQ(unsized.size(), 0U);
  const IntegerSpan part = unsized.part(1, 2);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0], 6);
  EXPECT_FALSE(IntegerSpan().given());
}

}  // namespace
}  // namespace plimsoll::collectives
