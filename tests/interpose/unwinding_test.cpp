// Tests a program that leaves calls by an exception or by the end of its thread. The profiler must not
// contain a separate unwinder, which would not know the program's frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

class Unwinding : public ::testing::TestWithParam<std::tuple<TestedMpi, std::string>> {};

TEST_P(Unwinding, PassesThroughProfiledCalls) {
  const auto& [mpi, way] = GetParam();
  for (const bool profiled : {false, true}) {
    const TemporaryFolder folder;
    const Outcome outcome = run({.mpi = mpi,
                                 .ranks = 2,
                                 .program = mpi.program("unwinding"),
                                 .arguments = {way},
                                 .options = "counts,times,folder=" + folder.path(),
                                 .profiled = profiled});
    EXPECT_EQ(outcome.status, 0) << (profiled ? "profiled: " : "not profiled: ") << outcome.err;
    if (!profiled) continue;
    const collectives::Profile profile = collectives::read({folder.path()}).profile;
    EXPECT_EQ(collectives::recorded_calls(profile), 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(By, Unwinding,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()),
                                            ::testing::Values("throw", "cancel", "exit")),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace plimsoll::testing
