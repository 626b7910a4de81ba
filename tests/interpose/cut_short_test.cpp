// Tests that a program that ends before MPI_Finalize keeps its recorded calls. The files from `plimsoll
// collectives merge` must contain every call that all ranks completed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <plimsoll/collectives/files.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using Counts = std::vector<std::vector<std::int64_t>>;  // indexed by sender and receiver

constexpr int ranks = 4;

// Returns the number of completed calls that each rank of cut_short reported.
std::vector<std::uint64_t> completed_calls(const std::string& folder) {
  std::vector<std::uint64_t> completed(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string bytes = file_content(folder + "/completed." + std::to_string(rank));
    EXPECT_EQ(bytes.size(), sizeof(std::uint64_t));
    std::memcpy(&completed[rank], bytes.data(), std::min(bytes.size(), sizeof(std::uint64_t)));
  }
  return completed;
}

// Returns the counts that cut_short sends in the given call.
Counts sent_in(std::uint64_t call) {
  Counts counts(ranks, std::vector<std::int64_t>(ranks));
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to)
      counts[from][to] = static_cast<std::int64_t>((call + 3 * from + to) % 7);
  return counts;
}

Counts matrix(const collectives::CountMatrix& rows) {
  Counts counts(ranks);
  for (std::size_t row = 0; row < rows.rows(); ++row)
    rows.ranks[row].for_each(
        [&](std::uint64_t rank) { counts.at(rank).assign(rows.row(row).begin(), rows.row(row).end()); });
  return counts;
}

void expect_calls(const collectives::Profile& profile, std::uint64_t first, std::uint64_t last) {
  ASSERT_EQ(profile.leads.size(), 1U);
  std::vector<const collectives::Signature*> of_call;
  for (const auto& signature : profile.leads[0].signatures)
    signature.calls.for_each([&](std::uint64_t call) {
      if (of_call.size() <= call) of_call.resize(call + 1);
      of_call[call] = &signature;
    });
  EXPECT_GE(of_call.size(), first);
  EXPECT_LE(of_call.size(), last);
  for (std::size_t call = 0; call < of_call.size(); ++call) {
    ASSERT_NE(of_call[call], nullptr) << "call " << call;
    ASSERT_EQ(matrix(of_call[call]->send.matrix), sent_in(call)) << "call " << call;
  }
}

class TerminatedRun : public ::testing::TestWithParam<std::tuple<TestedMpi, std::string>> {};

TEST_P(TerminatedRun, KeepsAllCompletedCalls) {
  const auto& [mpi, how] = GetParam();
  const TemporaryFolder folder;
  const TemporaryFolder notes;
  const Outcome outcome = run({.mpi = mpi,
                               .ranks = ranks,
                               .program = mpi.program("cut_short"),
                               .arguments = {how, notes.path()},
                               .options = "counts,folder=" + folder.path(),
                               .working_folder = notes.path()});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "the run timed out";

  const Outcome merged = run_plimsoll({"collectives", "merge", folder.path()});
  EXPECT_EQ(merged.status, 0) << merged.err;
  // Rank 1 never reaches MPI_Finalize. The launcher decides when the other ranks end.
  EXPECT_THAT(merged.out + merged.err, HasSubstr("logs that end before MPI_Finalize or are missing: rank"));
  const auto completed = completed_calls(notes.path());
  const collectives::Profile profile = collectives::read({folder.path()}).profile;
  expect_calls(profile, *std::min_element(completed.begin(), completed.end()),
               *std::max_element(completed.begin(), completed.end()) + 1);
  EXPECT_TRUE(profile.cut_short.contains(1));
}

INSTANTIATE_TEST_SUITE_P(By, TerminatedRun,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()),
                                            ::testing::Values("kill", "segv", "abort", "exit")),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace plimsoll::testing
