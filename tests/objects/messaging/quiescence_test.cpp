#include "objects/messaging/quiescence.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <optional>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

/// Returns the number of calls until quiet.
int calls_until_reached(Quiescence& quiescence, std::int64_t sent, std::int64_t received) {
  int calls = 1;
  for (mpi::Backoff backoff; !quiescence.is_reached(sent, received); backoff.pause()) ++calls;
  return calls;
}

TEST(Quiescence, NeedsTwoWaves) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  Quiescence quiescence(world);
  // One call starts the first wave, and one more ends each wave at the earliest.
  for (int detection = 0; detection < 3; ++detection)
    EXPECT_GE(calls_until_reached(quiescence, 5 * detection, 5 * detection), 3);
}

TEST(Quiescence, ComparesSumsOfAllRanks) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  Quiescence quiescence(world);
  // Rank 0 has sent 2 messages to each rank.
  const std::int64_t sent = world.rank() == 0 ? 2 * world.size() : 0;
  calls_until_reached(quiescence, sent, 2);
}

TEST(Quiescence, WaitsForMessageUnderWay) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const mpi::Communicator of_waves(MPI_COMM_WORLD);
  Quiescence quiescence(of_waves);
  const int last = world.size() - 1;
  const std::int64_t sent = world.rank() == 0 ? 1 : 0;
  // The message has been sent, but not yet received during these waves.
  for (int k = 0; k < 2'000; ++k) ASSERT_FALSE(quiescence.is_reached(sent, 0));
  world.barrier();
  calls_until_reached(quiescence, sent, world.rank() == last ? 1 : 0);
}

TEST(Quiescence, MayBeDestroyedWhileDetectionRuns) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  Quiescence quiescence(world);
  if (world.rank() % 2 == 0) {
    EXPECT_FALSE(quiescence.is_reached(1, 0));
  }
}

TEST(Quiescence, TellsOthersThatRankHasLeft) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  std::optional<Quiescence> quiescence(std::in_place, world);
  if (world.rank() != 0)
    EXPECT_ERROR(calls_until_reached(*quiescence, 1, 0), system, "another rank has stopped waiting");
  quiescence.reset();
}

}  // namespace
}  // namespace plimsoll::objects
