#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/runtime/serialised_transport.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

constexpr const char* too_short =
    "the object reads more data than were written; check that its serialize(), or load() and save(), use the "
    "same data";

template <class Value>
std::vector<std::byte> packed(const Value& value, std::size_t first_byte = 0) {
  PackArchive size;
  size(value);
  std::vector<std::byte> bytes(first_byte + size.size_bytes());
  PackArchive archive{std::span(bytes).subspan(first_byte)};
  archive(value);
  EXPECT_EQ(archive.size_bytes(), size.size_bytes());
  return bytes;
}

/// Packs a value at each position relative to aligned memory, and unpacks it into a vector that is empty and
/// into `previous`.
template <class Value>
void expect_round_trips(const Value& value, const Value& previous) {
  for (std::size_t first_byte = 0; first_byte < 16; ++first_byte) {
    const std::vector<std::byte> bytes = packed(value, first_byte);
    for (Value unpacked : {Value(), previous}) {
      UnpackArchive archive{std::span(bytes).subspan(first_byte)};
      archive(unpacked);
      EXPECT_EQ(unpacked, value);
      EXPECT_EQ(archive.size_bytes(), bytes.size() - first_byte);
    }
  }
}

template <class Number>
class VectorArchive : public ::testing::Test {
 protected:
  std::vector<Number> numbers(std::size_t count) {
    std::vector<Number> result(count);
    for (Number& number : result) number = static_cast<Number>(random_());
    return result;
  }

 private:
  std::mt19937_64 random_{7};
};

using Numbers =
    ::testing::Types<char, std::int8_t, std::uint16_t, int, std::uint64_t, float, double, long double>;
TYPED_TEST_SUITE(VectorArchive, Numbers);

TYPED_TEST(VectorArchive, RestoresNumbersAtAnyAlignment) {
  for (const std::size_t count : {0, 1, 2, 3, 16, 1000})
    for (const std::size_t before : {0, 5, 2000})
      expect_round_trips(this->numbers(count), this->numbers(before));
}

TYPED_TEST(VectorArchive, RestoresVectorsOfVectors) {
  using Nested = std::vector<std::vector<TypeParam>>;
  expect_round_trips(Nested{this->numbers(3), {}, this->numbers(100)}, Nested{this->numbers(7)});
}

TYPED_TEST(VectorArchive, RejectsMoreNumbersThanWereWritten) {
  std::vector<std::byte> bytes = packed(this->numbers(3));
  const std::uint64_t count = 4;
  std::memcpy(bytes.data(), &count, sizeof count);
  UnpackArchive archive(bytes);
  std::vector<TypeParam> unpacked;
  EXPECT_ERROR(archive(unpacked), usage, too_short);
}

TEST(ByteArchives, RestoreVectorsOfTruthValuesAndStrings) {
  expect_round_trips(std::vector<bool>{true, false, true}, std::vector<bool>(20, true));
  expect_round_trips(std::vector<bool>{}, std::vector<bool>(2));
  expect_round_trips(std::vector<std::string>{"", "plimsoll"}, std::vector<std::string>(3, "x"));
}

TEST(ByteArchives, PackNumbersBehindTheirCount) {
  const std::vector<std::byte> bytes = packed(std::vector<std::uint16_t>{1, 2});
  std::vector<std::byte> expected(8 + 2 * sizeof(std::uint16_t));
  const std::uint64_t count = 2;
  const std::uint16_t numbers[] = {1, 2};
  std::memcpy(expected.data(), &count, sizeof count);
  std::memcpy(expected.data() + sizeof count, numbers, sizeof numbers);
  EXPECT_EQ(bytes, expected);
}

TEST(ByteArchives, ContinueBehindAVector) {
  const std::vector<float> numbers = {1, 2, 3};
  std::vector<std::byte> bytes(8 + 3 * sizeof(float) + 1);
  PackArchive{bytes}(numbers, 'x');
  std::vector<float> unpacked;
  char last = 0;
  UnpackArchive archive(bytes);
  archive(unpacked, last);
  EXPECT_EQ(unpacked, numbers);
  EXPECT_EQ(last, 'x');
}

}  // namespace
}  // namespace plimsoll::runtime
