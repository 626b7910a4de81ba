#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <string>
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

namespace {

TEST(RunningHash, EqualsHashOfAllBytesForAnyParts) {
  const std::string text(1000, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  for (const std::size_t part : {1U, 7U, 256U, 999U}) {
    RunningHash hash;
    for (std::size_t begin = 0; begin < bytes.size(); begin += part)
      hash.add(bytes.subspan(begin, std::min(part, bytes.size() - begin)));
    EXPECT_EQ(hash.value(), hash_bytes(text)) << part;
  }
  EXPECT_EQ(RunningHash().value(), hash_bytes(std::string()));
}

}  // namespace

namespace {

TEST(MixSplitmix64, MatchesPublishedNumbers) {
  // First numbers of splitmix64 with seed 1234567, printed by its authors' program.
  std::uint64_t state = 1234567;
  EXPECT_EQ(mix_splitmix64(state += splitmix64_step), 6457827717110365317U);
  EXPECT_EQ(mix_splitmix64(state += splitmix64_step), 3203168211198807973U);
}

TEST(MixBits, MatchesMurmurHash3) {
  EXPECT_EQ(mix_bits(0), 0U);
  EXPECT_EQ(mix_bits(1), 0xb456bcfc34c2cb2cU);
}

template <class Hash>
class AnyPositionHash : public ::testing::Test {};

using Kinds = ::testing::Types<PositionHash, TaggedPositionHash>;
TYPED_TEST_SUITE(AnyPositionHash, Kinds);

TYPED_TEST(AnyPositionHash, FindsRowsOfTable) {
  std::vector<std::uint64_t> numbers;
  TypeParam hash;
  const auto hash_of = [&](std::uint32_t row) { return mix_bits(numbers[row]); };
  const auto find = [&](std::uint64_t number) {
    return hash.find(mix_bits(number), [&](std::uint32_t row) { return numbers[row] == number; });
  };
  EXPECT_EQ(find(0), TypeParam::none);
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    hash.insert(mix_bits(number << 40), static_cast<std::uint32_t>(number), hash_of);
    numbers.push_back(number << 40);
  }
  EXPECT_EQ(hash.size(), 10'000U);
  for (std::uint32_t row = 0; row < 10'000; ++row) EXPECT_EQ(find(std::uint64_t{row} << 40), row);
  EXPECT_EQ(find(1), TypeParam::none);
  hash.clear();
  EXPECT_EQ(hash.size(), 0U);
  EXPECT_EQ(hash.memory_bytes(), 0U);
  EXPECT_EQ(find(0), TypeParam::none);
}

TYPED_TEST(AnyPositionHash, DistinguishesRowsWithEqualHashes) {
  TypeParam hash;
  for (const std::uint32_t row : {7U, 0U, 0xfffffffeU})
    hash.insert(5, row, [](std::uint32_t) -> std::uint64_t { return 5; });
  for (const std::uint32_t row : {7U, 0U, 0xfffffffeU})
    EXPECT_EQ(hash.find(5, [&](std::uint32_t candidate) { return candidate == row; }), row);
}

TYPED_TEST(AnyPositionHash, FindsRowsOfAnySizeInAnyOrder) {
  TypeParam hash;
  std::map<std::uint32_t, std::uint64_t> hashes;
  std::mt19937_64 random(1);
  for (unsigned k = 0; k < 3000; ++k) {
    // The numbers of rows grow over all sizes, so that slots give up bits of the hashes several times.
    const auto row = static_cast<std::uint32_t>(random() >> (63 - k / 94)) % TypeParam::none;
    if (!hashes.emplace(row, mix_bits(random())).second) continue;
    hash.insert(hashes[row], row, [&](std::uint32_t other) { return hashes[other]; });
  }
  for (const auto& [row, hash_of_row] : hashes) {
    EXPECT_EQ(hash.find(hash_of_row, [&](std::uint32_t other) { return other == row; }), row);
    EXPECT_NE(hash.first_row(hash_of_row), TypeParam::none);
  }
}

TEST(PositionHash, ComparesOtherRowsRarely) {
  PositionHash hash;
  std::vector<std::uint64_t> hashes;
  for (std::uint32_t row = 0; row < 100'000; ++row) {
    hashes.push_back(mix_bits(row));
    hash.insert(hashes.back(), row, [&](std::uint32_t other) { return hashes[other]; });
  }
  std::size_t compared = 0;
  for (std::uint32_t row = 0; row < 100'000; ++row) {
    const auto absent = [&](std::uint32_t) { return ++compared == 0; };
    EXPECT_EQ(hash.find(mix_bits(std::uint64_t{row} + 100'000), absent), PositionHash::none);
  }
  EXPECT_LT(compared, 100U);  // one in 2^14 of the rows that the searches come across
}

TEST(PositionHash, DoesNotGrowWithinReservedRows) {
  for (const std::uint32_t rows : {0U, 1U, 191U, 192U, 193U, 3000U, 3072U, 3073U}) {
    PositionHash hash;
    hash.reserve(rows);
    const std::size_t reserved = hash.memory_bytes();
    for (std::uint32_t row = 0; row < rows; ++row)
      hash.insert(mix_bits(row), row, [](std::uint32_t other) { return mix_bits(other); });
    EXPECT_EQ(hash.memory_bytes(), reserved) << rows;
    for (std::uint32_t row = 0; row < rows; ++row)
      EXPECT_EQ(hash.find(mix_bits(row), [&](std::uint32_t other) { return other == row; }), row);
  }
}

TEST(PositionHash, UsesFourBytesPerSlotOrEightIfTagged) {
  PositionHash plain;
  TaggedPositionHash tagged;
  const auto no_hash = [](std::uint32_t) -> std::uint64_t { return 0; };
  plain.insert(1, 0, no_hash);
  tagged.insert(1, 0, no_hash);
  EXPECT_EQ(plain.memory_bytes(), 256U * 4);
  EXPECT_EQ(tagged.memory_bytes(), 256U * 8);
}

TEST(TaggedPositionHash, ComparesOnlyRowsWithEqualUpperHalf) {
  TaggedPositionHash hash;
  for (std::uint32_t row = 0; row < 100; ++row)  // all rows are in one probe chain
    hash.insert(std::uint64_t{row} << 32, row,
                [](std::uint32_t known) { return std::uint64_t{known} << 32; });
  int compared = 0;
  const std::uint32_t found = hash.find(std::uint64_t{99} << 32, [&](std::uint32_t row) {
    ++compared;
    return row == 99;
  });
  EXPECT_EQ(found, 99U);
  EXPECT_EQ(compared, 1);
}

}  // namespace
}  // namespace plimsoll::support
