// Tests which libraries a program loads because the interposer is preloaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/launching/launch_steps.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

class InterposerDependencies : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(InterposerDependencies, AreLimitedToLibrariesOfMpiPrograms) {
  const auto needs = collectives::read_elf_needs(GetParam().profiler);
  ASSERT_TRUE(needs);
  EXPECT_THAT(needs->libraries, ::testing::Each(::testing::MatchesRegex(
                                    "libmpi(ch)?\\.so\\..*|libc\\.so\\..*|libm\\.so\\..*|ld-.*|"
                                    "libgcc_s\\.so\\.1")));
  EXPECT_THAT(needs->libraries, ::testing::Contains(::testing::StartsWith("libmpi")));
  EXPECT_THAT(needs->folders, ::testing::Each(::testing::Not(::testing::HasSubstr("plimsoll"))));
}

INSTANTIATE_TEST_SUITE_P(Of, InterposerDependencies, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
