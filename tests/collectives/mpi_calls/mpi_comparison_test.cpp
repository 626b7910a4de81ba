#include <gtest/gtest.h>

#include <plimsoll/collectives/comparison.hpp>

#include "collectives/mpi_calls/example_calls.hpp"

namespace plimsoll::collectives {
namespace {

TEST(MpiComparison, ListsFunctionsWithLargestDifferenceFirst) {
  MpiCalls after = example_calls();
  after.functions[0].name = "MPI_Reduce";
  after.functions[2].time_s = {0.5, 0, 0, 0.5};
  const MpiComparison comparison = compare(example_calls(), after);
  EXPECT_EQ(comparison.summary.before.mpi_s, 21);
  ASSERT_EQ(comparison.functions.size(), 4u);
  EXPECT_EQ(comparison.functions[0].name, "MPI_Allreduce");
  EXPECT_EQ(comparison.functions[0].calls.before, 8u);
  EXPECT_EQ(comparison.functions[0].calls.after, 0u);
  EXPECT_EQ(comparison.functions[0].time_s.before, 16);
  EXPECT_EQ(comparison.functions[1].name, "MPI_Reduce");
  EXPECT_EQ(comparison.functions[2].name, "MPI_Waitall");
  EXPECT_EQ(comparison.functions[2].time_s.after, 1);
  EXPECT_EQ(comparison.functions[3].name, "MPI_Send");
}

}  // namespace
}  // namespace plimsoll::collectives
