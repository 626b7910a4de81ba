// MPI can be initialised only once per process, so each case runs alone in separate processes
// (tests/mpi/CMakeLists.txt).
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <optional>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

bool is_initialised() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

bool is_finalised() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

int asked_for_ranks() {
  const char* ranks = std::getenv("PLIMSOLL_TEST_RANKS");
  return ranks == nullptr ? 0 : std::atoi(ranks);
}

TEST(Environment, InitialisesAndFinalises) {
  ASSERT_FALSE(is_initialised());
  {
    const Environment environment;
    EXPECT_TRUE(is_initialised());
    EXPECT_TRUE(Environment::allows_threads());
    EXPECT_EQ(Communicator(MPI_COMM_WORLD).size(), asked_for_ranks());
    EXPECT_FALSE(is_finalised());
  }
  EXPECT_TRUE(is_finalised());
}

TEST(Environment, LeavesMpiOfProgramAlone) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  {
    const Environment environment;
    EXPECT_TRUE(Environment::allows_threads());
  }
  EXPECT_FALSE(is_finalised());
  EXPECT_EQ(Communicator(MPI_COMM_WORLD).size(), asked_for_ranks());
  MPI_Finalize();
}

TEST(Environment, AcceptsMpiInitWithoutThreads) {
  MPI_Init(nullptr, nullptr);
  {
    const Environment environment;
    EXPECT_FALSE(Environment::allows_threads());
  }
  MPI_Finalize();
}

TEST(Environment, LetsProgramFinaliseMpi) {
  std::optional<Environment> environment;
  environment.emplace();
  MPI_Finalize();
  EXPECT_NO_FATAL_FAILURE(environment.reset());
  EXPECT_TRUE(is_finalised());
}

TEST(Environment, FinalisesOnlyInFirstOfSeveralEnvironments) {
  {
    const Environment outer;
    { const Environment inner; }
    EXPECT_FALSE(is_finalised());
  }
  EXPECT_TRUE(is_finalised());
}

TEST(Environment, MayEndBeforeCommunicator) {
  std::optional<Communicator> communicator;
  {
    const Environment environment;
    communicator.emplace(MPI_COMM_WORLD);
  }
  ASSERT_TRUE(is_finalised());
  communicator.reset();
}

TEST(Environment, RejectsCallsOutsideItsLifetime) {
  EXPECT_ERROR(Communicator{MPI_COMM_WORLD}, usage, "not initialised");
  EXPECT_ERROR(Environment::allows_threads(), usage, "not initialised");
  { const Environment environment; }
  EXPECT_ERROR(Communicator{MPI_COMM_WORLD}, usage, "already finalised");
  EXPECT_ERROR(Environment::allows_threads(), usage, "already finalised");
  EXPECT_ERROR(Environment{}, usage, "already finalised");
}

}  // namespace
}  // namespace plimsoll::mpi

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  return testing::UnitTest::GetInstance()->test_to_run_count() == 1 ? status : EXIT_FAILURE;
}
