#include <gtest/gtest.h>

#include <vector>

#include <plimsoll/support/mix_bits.hpp>
#include <plimsoll/support/position_hash.hpp>

namespace plimsoll::support {
namespace {

TEST(MixSplitmix64, GivesThePublishedNumbers) {
  // The first numbers of splitmix64 from 1234567, as its authors' program prints them.
  std::uint64_t state = 1234567;
  EXPECT_EQ(mix_splitmix64(state += splitmix64_step), 6457827717110365317U);
  EXPECT_EQ(mix_splitmix64(state += splitmix64_step), 3203168211198807973U);
}

TEST(MixBits, GivesTheNumbersOfMurmurHash3) {
  EXPECT_EQ(mix_bits(0), 0U);
  EXPECT_EQ(mix_bits(1), 0xb456bcfc34c2cb2cU);
}

TEST(PositionHash, FindsTheRowsOfATable) {
  std::vector<std::uint64_t> numbers;
  PositionHash hash;
  const auto hash_of = [&](std::uint32_t row) { return mix_bits(numbers[row]); };
  const auto find = [&](std::uint64_t number) {
    return hash.find(mix_bits(number), [&](std::uint32_t row) { return numbers[row] == number; });
  };
  EXPECT_EQ(find(0), PositionHash::none);
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    hash.insert(mix_bits(number << 40), static_cast<std::uint32_t>(number), hash_of);
    numbers.push_back(number << 40);
  }
  EXPECT_EQ(hash.size(), 10'000U);
  for (std::uint32_t row = 0; row < 10'000; ++row) EXPECT_EQ(find(std::uint64_t{row} << 40), row);
  EXPECT_EQ(find(1), PositionHash::none);
  hash.clear();
  EXPECT_EQ(hash.size(), 0U);
}

}  // namespace
}  // namespace plimsoll::support
