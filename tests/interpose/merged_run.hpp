#pragma once

#include <gmock/gmock.h>

#include <string>

#include <plimsoll/collectives/merge.hpp>

#include "common/temporary_folder.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {

/// Runs a program, which must succeed, and merges the logs of its ranks.
inline collectives::MergeResult merged_run(MpiRun program) {
  const TemporaryFolder folder;
  program.options += ",merge=later,folder=" + folder.path();
  const Outcome outcome = run(program);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto runs = collectives::find_logs(folder.path());
  EXPECT_THAT(runs, ::testing::SizeIs(1)) << outcome.err;
  return runs.size() == 1 ? collectives::merge_files(runs[0]) : collectives::MergeResult{};
}

}  // namespace plimsoll::testing
