#include "collectives/model/packed_words.hpp"

#include <gtest/gtest.h>

#include <random>

#include <plimsoll/collectives/internal/rank_log.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

std::vector<std::uint64_t> unpacked(const std::vector<std::byte>& bytes, std::size_t words) {
  std::vector<std::uint64_t> result;
  unpack(bytes, static_cast<std::uint32_t>(words), result);
  return result;
}

std::uint64_t word_of_step(std::uint64_t step) {
  return 2 * step + 2;
}

TEST(PackedWords, AreRestored) {
  std::mt19937_64 random(1);
  for (int attempt = 0; attempt < 300; ++attempt) {
    const std::uint64_t steps = std::uint64_t{1} << random() % 17;
    const std::uint64_t first = random() % 2 == 0 ? 0 : random() % (UINT32_MAX - steps);
    std::vector<std::uint64_t> words;
    for (std::uint64_t k = random() % 500; k > 0; --k) {
      if (random() % 4 == 0)
        words.insert(words.end(),
                     {2 * (1 + random() % rank_log::max_distance) + 1,
                      1 + (random() & rank_log::max_word) % (std::uint64_t{1} << random() % 44)});
      else
        words.push_back(word_of_step(first + random() % steps));
    }
    ASSERT_EQ(unpacked(pack(words), words.size()), words) << attempt;
  }
  const std::vector<std::uint64_t> repetition = {2 * rank_log::max_distance + 1, rank_log::max_word};
  EXPECT_EQ(unpacked(pack(repetition), 2), repetition);
  EXPECT_TRUE(unpacked(pack({}), 0).empty());
}

// Entropy of steps that occur with these frequencies, in bits: 0.08, 1, 10 and 1.5.
TEST(PackedWords, TakeTheirEntropy) {
  std::mt19937 random(1);
  const auto bits_per_word = [&](const auto& step) {
    std::vector<std::uint64_t> words;
    for (std::uint32_t k = 0; k < rank_log::max_words; ++k) words.push_back(word_of_step(step()));
    return 8.0 * static_cast<double>(pack(words).size()) / rank_log::max_words;
  };
  EXPECT_LT(bits_per_word([&] { return random() % 100 == 0 ? 1U : 0U; }), 0.15);
  EXPECT_LT(bits_per_word([&] { return random() % 2; }), 1.1);
  EXPECT_LT(bits_per_word([&] { return random() % 1024; }), 10.6);
  EXPECT_LT(bits_per_word([&] { return random() % 2 == 0 ? 0U : 1 + random() % 2; }), 1.6);
}

TEST(PackedWords, AcceptAnyBytes) {
  std::mt19937 random(1);
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::vector<std::byte> bytes(random() % 40);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_EQ(unpacked(bytes, rank_log::max_words).size(), rank_log::max_words);
  }
}

TEST(CheckedWords, DetectEveryChangedBit) {
  std::mt19937_64 random(1);
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t number = 1 + (random() & rank_log::max_word) % (std::uint64_t{1} << random() % 44);
    const std::uint64_t salt = random() % 100'000;
    const std::uint64_t word = rank_log::checked(number, salt);
    EXPECT_EQ(rank_log::unchecked(word, salt), number);
    for (int bit = 0; bit < 64; ++bit)
      EXPECT_FALSE(rank_log::unchecked(word ^ std::uint64_t{1} << bit, salt)) << number << ' ' << bit;
  }
  EXPECT_FALSE(rank_log::unchecked(0));
}

}  // namespace
}  // namespace plimsoll::collectives
