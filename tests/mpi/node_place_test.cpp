#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

/// Returns the lowest rank on each rank's node, according to MPI_Comm_split_type.
std::vector<int> lowest_ranks_by_split(const Communicator& communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const int rank = communicator.rank();
  int lowest = -1;
  MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
  MPI_Comm_free(&node);
  std::vector<int> all(communicator.size());
  MPI_Allgather(&lowest, 1, MPI_INT, all.data(), 1, MPI_INT, communicator.handle());
  return all;
}

/// Returns the lowest rank on each rank's node, according to processor names.
std::vector<int> lowest_ranks_by_name(const Communicator& communicator) {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name mine{};
  int length = 0;
  MPI_Get_processor_name(mine.data(), &length);
  std::vector<Name> names(communicator.size());
  MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                communicator.handle());
  std::vector<int> all;
  for (const Name& name : names) {
    all.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  return all;
}

void expect_place(const Communicator& communicator, const std::vector<int>& lowest) {
  const NodePlace place = node_place(communicator);
  const int rank = communicator.rank();
  const int mine = lowest[rank];
  const std::set<int> nodes(lowest.begin(), lowest.end());
  EXPECT_EQ(place.node_count, nodes.size());
  EXPECT_EQ(place.id, std::distance(nodes.begin(), nodes.find(mine)));
  EXPECT_EQ(place.size, std::count(lowest.begin(), lowest.end(), mine));
  EXPECT_EQ(place.rank, std::count(lowest.begin(), lowest.begin() + rank, mine));
}

/// Returns whether MPICH simulates several nodes. The processor names are still identical.
bool nodes_are_simulated() {
  return std::getenv("MPIR_CVAR_NUM_CLIQUES") != nullptr ||
         std::getenv("MPIR_CVAR_ODD_EVEN_CLIQUES") != nullptr;
}

TEST(NodePlace, AgreesWithProcessorNames) {
  if (nodes_are_simulated()) GTEST_SKIP() << "MPICH simulates the nodes";
  const Communicator communicator(MPI_COMM_WORLD);
  expect_place(communicator, lowest_ranks_by_name(communicator));
}

TEST(NodePlace, NumbersNodesByLowestRank) {
  const Communicator communicator(MPI_COMM_WORLD);
  expect_place(communicator, lowest_ranks_by_split(communicator));
  if (nodes_are_simulated()) {
    EXPECT_GT(node_place(communicator).node_count, 1);
  }
}

TEST(NodePlace, AcceptsRanksInAnyOrder) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  {
    const Communicator communicator(reversed);
    expect_place(communicator, lowest_ranks_by_split(communicator));
  }
  MPI_Comm_free(&reversed);
}

// MPICH supports only 2,048 communicators, so the test fails if Plimsoll leaks them.
TEST(NodePlace, LeavesNoCommunicatorBehind) {
  const Communicator communicator(MPI_COMM_WORLD);
  if (communicator.size() > 1) GTEST_SKIP() << "one rank is sufficient and does not wait for others";
  for (int k = 0; k < 3'000; ++k) ASSERT_GT(node_place(communicator).size, 0);
}

}  // namespace
}  // namespace plimsoll::mpi
