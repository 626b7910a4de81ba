// Tests the MPI test helper: a test gets the requested number of ranks, and these can communicate.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

namespace {

int rank_count() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

TEST(Launch, StartsRequestedNumberOfRanks) {
  const char* asked_for = std::getenv("PLIMSOLL_TEST_RANKS");
  ASSERT_NE(asked_for, nullptr);
  EXPECT_EQ(rank_count(), std::atoi(asked_for));
}

TEST(Launch, ConnectsAllRanks) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int summand = rank + 1;
  int sum = 0;
  MPI_Allreduce(&summand, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, rank_count() * (rank_count() + 1) / 2);
}

}  // namespace
