#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/objects/arguments.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

static_assert(is_narrowing<double, int>);
static_assert(is_narrowing<float, std::int64_t>);
static_assert(is_narrowing<double, float>);
static_assert(is_narrowing<long double, double>);
static_assert(is_narrowing<int, unsigned>);
static_assert(is_narrowing<int, std::size_t>);
static_assert(is_narrowing<signed char, std::uint64_t>);
static_assert(is_narrowing<unsigned, int>);
static_assert(is_narrowing<std::size_t, std::int64_t>);
static_assert(is_narrowing<std::int64_t, int>);
static_assert(is_narrowing<int, char>);
static_assert(is_narrowing<int, bool>);
static_assert(is_narrowing<double, bool>);
static_assert(is_narrowing<int, float>);
static_assert(is_narrowing<std::int64_t, double>);
static_assert(is_narrowing<std::size_t, double>);

static_assert(!is_narrowing<int, int>);
static_assert(!is_narrowing<double, double>);
static_assert(!is_narrowing<float, double>);
static_assert(!is_narrowing<double, long double>);
static_assert(!is_narrowing<int, std::int64_t>);
static_assert(!is_narrowing<unsigned, std::int64_t>);
static_assert(!is_narrowing<unsigned char, unsigned>);
static_assert(!is_narrowing<long, long long>);
static_assert(!is_narrowing<char, int>);
static_assert(!is_narrowing<bool, int>);
static_assert(!is_narrowing<bool, unsigned>);
static_assert(!is_narrowing<bool, double>);
static_assert(!is_narrowing<short, float>);
static_assert(!is_narrowing<int, double>);
static_assert(!is_narrowing<unsigned, double>);
static_assert(!is_narrowing<const char*, std::string>);
static_assert(!is_narrowing<std::vector<double>, std::vector<double>>);

TEST(Arguments, BecomeValuesOfTheirParameters) {
  using Parameters = std::tuple<double, std::int64_t, std::string, std::array<int, 2>>;
  const std::array<int, 2> pair{3, 4};
  EXPECT_EQ((passed_as<Parameters>(1, 2U, "text", pair)), Parameters(1.0, 2, "text", pair));
}

}  // namespace
}  // namespace plimsoll::objects
