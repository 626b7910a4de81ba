#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(Backoff, WaitsForALateRankWithoutUsingACore) {
  const Communicator world(MPI_COMM_WORLD);
  world.barrier();
  const bool is_late = world.rank() == 0;
  const double start_s = cpu_s();
  if (is_late) usleep(400'000);
  MPI_Request request = MPI_REQUEST_NULL;
  int mine = 1;
  int sum = 0;
  ASSERT_EQ(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world.handle(), &request), MPI_SUCCESS);
  wait(request);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_EQ(sum, world.size());
  EXPECT_LT(cpu_s() - start_s, 0.2);
}

}  // namespace
}  // namespace plimsoll::mpi
