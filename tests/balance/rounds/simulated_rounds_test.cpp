#include "balance/rounds/simulated_rounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <plimsoll/balance/internal/exact_sum.hpp>

#include "balance/rounds/rank_random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

constexpr std::int32_t n_ranks = 1000;

/// Returns all messages that ranks receive after each rank has sent two random messages, as text.
std::string messages_with(unsigned threads) {
  SimulatedRounds rounds(n_ranks, threads);
  rounds.run([](std::int32_t rank, Inbox received, Outbox& outbox) {
    EXPECT_TRUE(received.empty());
    RankRandom random(7, rank, 0);
    for (std::int32_t number = 0; number < 2; ++number) {
      const std::array items = {rank, number};
      const std::array receivers = {random.below(n_ranks), random.below(n_ranks)};
      outbox.send<std::int32_t>(receivers, items);
    }
  });
  std::vector<std::string> texts(n_ranks);
  rounds.run([&](std::int32_t rank, Inbox received, Outbox&) {
    for (const RoundMessage& message : received) {
      const auto items = message.items<std::int32_t>();
      EXPECT_EQ(items[0], message.sender);
      texts[static_cast<std::size_t>(rank)] += fmt::format("{}:{} ", items[0], items[1]);
    }
  });
  EXPECT_EQ(rounds.traffic().rounds, 2);
  return fmt::format("{}", fmt::join(texts, "\n"));
}

TEST(SimulatedRounds, DeliverTheSameMessagesForAnyNumberOfThreads) {
  const std::string expected = messages_with(1);
  for (const unsigned threads : {2U, 8U}) EXPECT_EQ(messages_with(threads), expected);
}

TEST(SimulatedRounds, SortMessagesBySenderAndCountThoseToOtherRanks) {
  SimulatedRounds rounds(4);
  rounds.run([](std::int32_t rank, Inbox, Outbox& outbox) {
    for (std::int32_t number = 0; number < 2; ++number)
      outbox.send(0, std::span<const std::int32_t>(std::array{rank, number}));
  });
  rounds.run([](std::int32_t rank, Inbox received, Outbox&) {
    ASSERT_EQ(received.size(), rank == 0 ? 8U : 0U);
    for (std::int32_t message = 0; message < std::ssize(received); ++message) {
      EXPECT_EQ(received[static_cast<std::size_t>(message)].items<std::int32_t>()[0], message / 2);
      EXPECT_EQ(received[static_cast<std::size_t>(message)].items<std::int32_t>()[1], message % 2);
    }
  });
  EXPECT_EQ(rounds.traffic().messages, 6);
  EXPECT_EQ(rounds.traffic().bytes, 48);
}

TEST(SimulatedRounds, ThrowTheExceptionOfTheFirstRank) {
  for (const unsigned threads : {1U, 8U}) {
    SimulatedRounds rounds(n_ranks, threads);
    try {
      rounds.run([](std::int32_t rank, Inbox, Outbox&) {
        if (rank >= 300) throw std::runtime_error(std::to_string(rank));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "300");
    }
  }
}

TEST(ExactSum, DoesNotDependOnOrderOrGrouping) {
  std::vector<double> values;
  for (std::int32_t i = 0; i < 1000; ++i) {
    RankRandom random(1, i, 2);
    values.push_back(std::ldexp(random.uniform() - 0.5, random.below(60) - 20));
  }
  ExactSum forwards;
  for (const double value : values) forwards.add(value);
  ExactSum halves[2];
  for (std::size_t i = values.size(); i-- > 0;) halves[i % 2].add(values[i]);
  halves[0].add(halves[1]);
  EXPECT_EQ(halves[0].value(), forwards.value());
  const double expected =
      static_cast<double>(std::accumulate(values.begin(), values.end(), static_cast<long double>(0)));
  EXPECT_NEAR(forwards.value(), expected, 1e-12 * std::abs(expected));
}

TEST(ExactSum, IsExactForSmallAndNegativeNumbers) {
  ExactSum sum;
  for (const double value : {0.1, -0.1, 1e15, 0x1.0p-60, -1e15}) sum.add(value);
  EXPECT_EQ(sum.value(), 0x1.0p-60);
}

TEST(RankRandom, DependsOnSeedRankAndRoundOnly) {
  EXPECT_EQ(RankRandom(1, 2, 3).uniform(), RankRandom(1, 2, 3).uniform());
  EXPECT_NE(RankRandom(1, 2, 3).uniform(), RankRandom(2, 2, 3).uniform());
  EXPECT_NE(RankRandom(1, 2, 3).uniform(), RankRandom(1, 3, 3).uniform());
  EXPECT_NE(RankRandom(1, 2, 3).uniform(), RankRandom(1, 2, 4).uniform());
  double sum = 0;
  for (std::int32_t rank = 0; rank < 10'000; ++rank) sum += RankRandom(0, rank, 0).uniform();
  EXPECT_NEAR(sum / 10'000, 0.5, 0.01);  // three and a half standard deviations
}

}  // namespace
}  // namespace plimsoll::balance
