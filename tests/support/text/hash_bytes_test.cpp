#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(HashBytes, MatchesXxhsum) {
  EXPECT_EQ(hash_bytes(bytes_of("")), 0x2d06800538d394c2U);
  EXPECT_EQ(hash_bytes(bytes_of("a")), 0xe6c632b61e964e1fU);
  EXPECT_EQ(hash_bytes_128(bytes_of("")).high, 0x99aa06d3014798d8U);
  EXPECT_EQ(hash_bytes_128(bytes_of("")).low, 0x6001c324468d497fU);
}

TEST(HashBytes, DependsOnSeed) {
  EXPECT_NE(hash_bytes(bytes_of("abc")), hash_bytes(bytes_of("abc"), 1));
  EXPECT_NE(hash_bytes_128(bytes_of("abc")).low, hash_bytes_128(bytes_of("abc"), 1).low);
}

TEST(HashBytes, IncludesAllBytesOfTextsAndNumbers) {
  const std::string_view text = "abcdefgh";
  EXPECT_EQ(hash_bytes(text, 7), hash_bytes(bytes_of(text), 7));
  const std::vector<std::uint32_t> numbers = {1, 2, 3};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(numbers));
  EXPECT_EQ(hash_bytes(numbers), hash_bytes(bytes));
  const std::uint32_t array[] = {1, 2, 3};
  EXPECT_EQ(hash_bytes(array), hash_bytes(numbers));
  EXPECT_NE(hash_bytes(numbers), hash_bytes(std::vector<std::uint32_t>{1, 2, 4}));
}

}  // namespace
}  // namespace plimsoll::support
