#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

TEST(HostNumber, IsTheSameOnRanksWithTheSameHostName) {
  const Communicator world(MPI_COMM_WORLD);
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  const std::string first = world.broadcast(std::string_view(name.data(), static_cast<std::size_t>(length)));
  std::uint64_t number_of_first = host_number();
  MPI_Bcast(&number_of_first, 1, MPI_UINT64_T, 0, world.handle());
  EXPECT_EQ(host_number() == number_of_first, first == name.data());
  EXPECT_EQ(host_number(), host_number());
}

}  // namespace
}  // namespace plimsoll::mpi
