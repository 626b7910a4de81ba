#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::collectives {
namespace {

TEST(MpiPurpose, IsKnownForEachKindOfFunction) {
  for (const char* transfer : {"MPI_Send", "MPI_Isend", "MPI_Recv_init", "MPI_Sendrecv_replace",
                               "MPI_Startall", "MPI_Psend_init", "MPI_Put", "MPI_Rget_accumulate"})
    EXPECT_EQ(purpose_of(transfer), MpiPurpose::transfer) << transfer;
  for (const char* wait :
       {"MPI_Wait", "MPI_Testsome", "MPI_Improbe", "MPI_Win_fence", "MPI_Win_flush_local_all"})
    EXPECT_EQ(purpose_of(wait), MpiPurpose::wait) << wait;
  for (const char* collective : {"MPI_Bcast", "MPI_Barrier", "MPI_Neighbor_allgather", "MPI_Comm_split",
                                 "MPI_Intercomm_create", "MPI_Win_create"})
    EXPECT_EQ(purpose_of(collective), MpiPurpose::collective) << collective;
  for (const char* start :
       {"MPI_Ibcast", "MPI_Ibarrier", "MPI_Alltoallw_init", "MPI_Ineighbor_allgather", "MPI_Comm_idup"})
    EXPECT_EQ(purpose_of(start), MpiPurpose::collective_start) << start;
  for (const char* file : {"MPI_File_write_at_all", "MPI_File_iread", "MPI_File_set_size"})
    EXPECT_EQ(purpose_of(file), MpiPurpose::file) << file;
}

TEST(MpiPurpose, IsTheSameForLargeCounts) {
  EXPECT_EQ(purpose_of("MPI_Send_c"), MpiPurpose::transfer);
  EXPECT_EQ(purpose_of("MPI_Allreduce_c"), MpiPurpose::collective);
  EXPECT_EQ(purpose_of("MPI_Bcast_init_c"), MpiPurpose::collective_start);
  EXPECT_EQ(purpose_of("MPI_File_write_c"), MpiPurpose::file);
}

TEST(MpiPurpose, TellsWhetherFunctionsMayWait) {
  for (const char* name : {"MPI_Wait", "MPI_Testany", "MPI_Recv", "MPI_Sendrecv_c", "MPI_Ssend"})
    EXPECT_TRUE(may_wait(name)) << name;
  for (const char* name :
       {"MPI_Irecv", "MPI_Bsend", "MPI_Start", "MPI_Put", "MPI_Allreduce", "MPI_Barrier", "MPI_Ibarrier"})
    EXPECT_FALSE(may_wait(name)) << name;
}

}  // namespace
}  // namespace plimsoll::collectives
