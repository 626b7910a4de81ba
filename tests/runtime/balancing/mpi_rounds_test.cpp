#include "runtime/balancing/mpi_rounds.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "balance/rounds/rank_random.hpp"
#include "balance/rounds/simulated_rounds.hpp"
#include "balance/strategies/tempered_lb/tempered.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using balance::TemperedRank;

/// Returns ranks with more objects, and heavier ones, the higher their number is.
std::vector<TemperedRank> uneven_ranks(std::int32_t n_ranks) {
  std::vector<TemperedRank> ranks(static_cast<std::size_t>(n_ranks));
  std::uint64_t id = 0;
  for (std::int32_t rank = 0; rank < n_ranks; ++rank) {
    balance::RankRandom random(5, rank, 0);
    TemperedRank& of_rank = ranks[static_cast<std::size_t>(rank)];
    of_rank.overhead = 0.1 * random.uniform();
    of_rank.speed = 1 + 0.5 * random.uniform();
    for (std::int32_t object = 0; object < 20 * (rank + 1); ++object)
      of_rank.objects.push_back({(1 + rank) * random.uniform() / 3, id++});
  }
  return ranks;
}

TEST(MpiRounds, GiveThePlacementOfSimulatedRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const balance::TemperedOptions options = {
        .reach = {.fanout = 2, .rounds = 2}, .iterations = 5, .seed = seed};
    std::vector<TemperedRank> expected = uneven_ranks(world.size());
    balance::SimulatedRounds simulated(world.size());
    balance::balance_by_gossip(simulated, options, expected);

    std::vector<TemperedRank> mine = {uneven_ranks(world.size())[static_cast<std::size_t>(world.rank())]};
    MpiRounds rounds(world);
    balance::balance_by_gossip(rounds, options, mine);
    EXPECT_EQ(mine[0].objects, expected[static_cast<std::size_t>(world.rank())].objects);

    const balance::RoundTraffic traffic = rounds.traffic();
    EXPECT_EQ(traffic.rounds, simulated.traffic().rounds);
    EXPECT_EQ(traffic.messages, simulated.traffic().messages);
    EXPECT_EQ(traffic.bytes, simulated.traffic().bytes);
    EXPECT_EQ(traffic.reductions, simulated.traffic().reductions);
  }
}

TEST(MpiRounds, ThrowTheErrorOfOneRankOnAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const int failing = world.size() - 1;
  MpiRounds rounds(world);
  for (int round = 0; round < 2; ++round) {
    try {
      rounds.run([&](std::int32_t, balance::Inbox, balance::Outbox&) {
        if (world.rank() == failing && round == 1)
          throw support::usage_error("no objects left", "use 2 ranks");
      });
      EXPECT_EQ(round, 0);
    } catch (const Error& error) {
      EXPECT_EQ(round, 1);
      EXPECT_NE(std::string(error.what()).find("no objects left"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace plimsoll::runtime
