// Tests the MPI test program, not Plimsoll: fails only on rank 1.
#include <gtest/gtest.h>
#include <mpi.h>

TEST(FailingRank, FailsOnRankOneOnly) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_NE(rank, 1);
}
