// Tests what is recorded of nonblocking and persistent collectives when they complete, with
// programs/completions.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "alltoallv/merged_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::DataHashes;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Completions : public ::testing::TestWithParam<TestedMpi> {
 protected:
  static constexpr std::size_t ranks = 3;

  collectives::MergeResult record(const std::string& name, const std::string& options) {
    auto merged = merged_run({.mpi = GetParam(),
                              .ranks = ranks,
                              .program = GetParam().program("completions"),
                              .arguments = {name},
                              .options = options});
    EXPECT_THAT(merged.findings, IsEmpty());
    return merged;
  }
};

// Blocking calls with the same data are the oracle.
TEST_P(Completions, RecordHashesOfReceivedDataInEveryFunction) {
  const auto merged = record("in_every_function", "content-hash");
  ASSERT_THAT(merged.profile.leads, SizeIs(1));
  std::map<std::string, std::vector<DataHashes>> hashes;
  for (const collectives::RankHashes& of_operation : merged.profile.leads[0].hashes)
    hashes[of_operation.operation.name()] = of_operation.values;
  constexpr std::size_t functions = 8;
  const std::vector<DataHashes>& expected = hashes["Alltoallv"];
  ASSERT_THAT(expected, SizeIs((functions + 1) * ranks));
  for (const char* operation : {"Ialltoallv", "Alltoallv_init"}) {
    const std::vector<DataHashes>& recorded = hashes[operation];
    ASSERT_THAT(recorded, SizeIs(expected.size())) << operation;
    for (std::size_t k = 0; k < functions * ranks; ++k)
      EXPECT_EQ(recorded[k], expected[k]) << operation << " in step " << k / ranks;
    // The profiler does not see that PMPI_Wait completes the last one.
    for (std::size_t k = functions * ranks; k < recorded.size(); ++k)
      EXPECT_EQ(recorded[k], (DataHashes{.sent = expected[k].sent, .received = 0})) << operation;
  }
}

INSTANTIATE_TEST_SUITE_P(EachMpi, Completions, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
