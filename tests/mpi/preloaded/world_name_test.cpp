#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>

#include <plimsoll/mpi/internal/roll_call.hpp>

namespace plimsoll::testing {
namespace {

/// A process without the variables of launchers.
class WorldName : public ::testing::Test {
 protected:
  WorldName() {
    for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports", "PALS_APID",
                             "SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_HET_JOB_ID"})
      ::unsetenv(name);
  }
};

TEST_F(WorldName, DistinguishesRunsOfOpenMpi) {
  ::setenv("PMIX_NAMESPACE", "1309868033", 1);
  ::setenv("OMPI_MCA_orte_precondition_transports", "b860fedeb39724d5-002e353771f5a2f6", 1);
  const std::string name = mpi::world_name();
  EXPECT_EQ(mpi::world_name(), name);
  ::setenv("PMIX_NAMESPACE", "1309868034", 1);  // spawned ranks
  EXPECT_NE(mpi::world_name(), name);
  ::setenv("PMIX_NAMESPACE", "1309868033", 1);
  ::setenv("OMPI_MCA_orte_precondition_transports", "0000000000000001-002e353771f5a2f6", 1);
  EXPECT_NE(mpi::world_name(), name);
}

TEST_F(WorldName, DistinguishesJobStepsOfSlurm) {
  ::setenv("SLURM_JOB_ID", "77", 1);
  ::setenv("SLURM_STEP_ID", "0", 1);
  const std::string name = mpi::world_name();
  ::setenv("SLURM_STEP_ID", "1", 1);
  EXPECT_NE(mpi::world_name(), name);
}

// The components of a heterogeneous job have the job IDs 77, 78, ... and the same HET_JOB_ID.
TEST_F(WorldName, IsEqualInComponentsOfAHeterogeneousJob) {
  ::setenv("SLURM_HET_JOB_ID", "77", 1);
  ::setenv("SLURM_STEP_ID", "0", 1);
  ::setenv("SLURM_JOB_ID", "77", 1);
  const std::string name = mpi::world_name();
  ::setenv("SLURM_JOB_ID", "78", 1);
  EXPECT_EQ(mpi::world_name(), name);
}

TEST_F(WorldName, RunIdIsThatOfTheProcess) {
  const std::uint64_t own = mpi::run_id_of_rank_0();
  EXPECT_EQ(mpi::run_id_of_rank_0(), own);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(mpi::run_id_of_rank_0() == own ? 1 : 0);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the ID of another process is equal";
}

}  // namespace
}  // namespace plimsoll::testing
