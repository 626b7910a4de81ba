#include <gtest/gtest.h>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(Operation, UsesMpiNames) {
  EXPECT_EQ(Operation{Exchange::alltoallv}.name(), "Alltoallv");
  EXPECT_EQ((Operation{Exchange::alltoallw, Mode::nonblocking, true}).name(), "Ineighbor_alltoallw");
  EXPECT_EQ((Operation{Exchange::allgatherv, Mode::persistent, false}).name(), "Allgatherv_init");
  EXPECT_EQ((Operation{Exchange::alltoall, Mode::nonblocking, false}).lower_case_name(), "ialltoall");
}

TEST(Operation, IsFoundByNameAndIndex) {
  for (std::size_t index = 0; index < Operation::count; ++index) {
    const Operation operation = Operation::at(index);
    EXPECT_EQ(operation.index(), index);
    EXPECT_EQ(Operation::named(operation.name()), operation);
    EXPECT_EQ(Operation::named(operation.lower_case_name()), operation);
  }
  EXPECT_EQ(Operation::named("Allreduce"), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::collectives
