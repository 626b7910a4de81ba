// Not a test of Plimsoll but of its MPI test program: fails on rank 1 and nowhere else.
#include <gtest/gtest.h>
#include <mpi.h>

TEST(FailingRank, FailsOnRankOneOnly) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_NE(rank, 1);
}
