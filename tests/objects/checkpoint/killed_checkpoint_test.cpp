#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

/// Runs checkpoints_for_ever, and returns its output.
std::string output_of_run(const TemporaryFolder& folder, int milliseconds) {
  const std::string command = std::string(LAUNCHER) + " -n 2 " + CHECKPOINTS_FOR_EVER + " " + folder.path() +
                              "/checkpoint " + std::to_string(milliseconds) + " 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  for (int next = std::fgetc(pipe); next != EOF; next = std::fgetc(pipe)) output += static_cast<char>(next);
  ::pclose(pipe);
  return output;
}

TEST(KilledCheckpoint, LeavesCompleteCheckpointAtAnyTime) {
  const TemporaryFolder folder;
  std::string output;
  for (int milliseconds = 300; milliseconds < 306; ++milliseconds) {
    output = output_of_run(folder, milliseconds);
    EXPECT_THAT(output, ::testing::HasSubstr("found version ")) << milliseconds;
    EXPECT_THAT(output, ::testing::Not(::testing::HasSubstr("failed: "))) << milliseconds;
    EXPECT_THAT(output, ::testing::Not(::testing::HasSubstr("version -1"))) << milliseconds;
  }
  output = output_of_run(folder, 0);
  EXPECT_THAT(output, ::testing::HasSubstr("found version "));
  EXPECT_THAT(output, ::testing::Not(::testing::AnyOf(::testing::HasSubstr("version 0"),
                                                      ::testing::HasSubstr("version -1"))));
}

}  // namespace
}  // namespace plimsoll::testing
