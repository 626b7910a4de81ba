// Tests what is recorded of calls in which ranks differ, with programs/irregular_calls.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>

#include "alltoallv/merged_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class IrregularCalls : public ::testing::TestWithParam<TestedMpi> {
 protected:
  MpiRun program(const std::string& name, const std::string& options, int ranks = 4) const {
    return {.mpi = GetParam(),
            .ranks = ranks,
            .program = GetParam().program("irregular_calls"),
            .arguments = {name},
            .options = options};
  }
};

TEST_P(IrregularCalls, HaveHostsOfRanksThatMakeNone) {
  const TemporaryFolder folder;
  const Outcome outcome = run(program("half_of_ranks", "counts,folder=" + folder.path()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(files_in(folder.path()), Each(Not(HasSubstr("locations"))));
  const collectives::Profile profile = collectives::read({folder.path()}).profile;
  const std::vector<std::string> hosts = collectives::rank_hosts(profile);
  EXPECT_THAT(hosts, AllOf(SizeIs(4), Each(Not(IsEmpty()))));
  const Outcome reordered = run_plimsoll({"collectives", "reorder", folder.path()});
  EXPECT_EQ(reordered.status, 0) << reordered.err;
  EXPECT_THAT(reordered.out, HasSubstr("as recorded"));
}

// Each call moves 8 x 4 + 3 x 4 bytes, 11 per rank: 32 / 11 - 1. The sums of all ranks are equal.
TEST_P(IrregularCalls, HaveImbalancePerCall) {
  const auto merged = merged_run(program("rotating", "counts"));
  const collectives::Summary summary = summarize(merged.profile);
  EXPECT_EQ(summary.sent.call_imbalance.calls, 4U);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.mean, 32.0 / 11 - 1);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.max, 32.0 / 11 - 1);
  EXPECT_EQ(balance_of(summary, &collectives::RankSummary::bytes_sent).imbalance(), 0);
}

INSTANTIATE_TEST_SUITE_P(EachMpi, IrregularCalls, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
