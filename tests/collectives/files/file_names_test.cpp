#include "collectives/files/file_names.hpp"

#include <gtest/gtest.h>

#include "collectives/time_files_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(FileNameParser, ParsesNamesOfBlockFiles) {
  const FileName name{.kind = FileKind::displacements, .job = 4711, .lead = 2, .direction = Direction::recv};
  EXPECT_EQ(name.text(), "recv-displs.job4711.rank2.txt");
  const auto read = FileName::parse("send-counters.job0.rank1023.txt");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->direction, Direction::send);
  EXPECT_EQ(read->kind, FileKind::counts);
  EXPECT_EQ(read->job, 0U);
  EXPECT_EQ(read->lead, 1023U);
}

TEST(FileNameParser, ParsesNamesOfCallFilesInBothForms) {
  const FileName plain{.kind = FileKind::call, .lead = 3, .call = 7};
  FileName of_operation = plain;
  of_operation.operation = Operation{Exchange::alltoallw, Mode::nonblocking, true};
  EXPECT_EQ(plain.text(false), "counts-rank3_call7.md");
  EXPECT_EQ(plain.text(true), "counts.rank3_call7.md");
  EXPECT_EQ(of_operation.text(false), "counts-ineighbor_alltoallw-rank3_call7.md");
  EXPECT_EQ(of_operation.text(true), "counts.ineighbor_alltoallw.rank3_call7.md");
  for (const FileName& name : {plain, of_operation}) {
    for (const bool dotted : {false, true}) {
      const auto read = FileName::parse(name.text(dotted));
      ASSERT_TRUE(read.has_value());
      EXPECT_EQ(read->operation, name.operation);
      EXPECT_EQ(read->lead, 3U);
      EXPECT_EQ(read->call, 7U);
    }
  }
}

TEST(FileNameParser, ParsesNamesOfSummaries) {
  const FileName name{.kind = FileKind::summary,
                      .operation = Operation{Exchange::alltoall, Mode::persistent},
                      .job = 8,
                      .lead = 2};
  EXPECT_EQ(name.text(), "profile_alltoall_init_job8.rank2.md");
  const auto read = FileName::parse(name.text());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->operation, name.operation);
  EXPECT_EQ(read->job, 8U);
}

TEST(FileNameParser, RejectsNamesOfOtherFiles) {
  for (const char* name :
       {"", "send-", "send-counters", "send-counters.job0.rank0", "send-counters.job0.rank0.txt.partial",
        "send-counters.job.rank0.txt", "send-counters.job0.rank4294967296.txt",
        "sent-counters.job0.rank0.txt", "send-patterns.job0.rank0.txt", "counts", "counts-",
        "counts_rank0_call0.md", "counts-rank0_call0", "counts-rank-1_call0.md",
        "counts-bcast-rank0_call0.md", "counts-rank0_call18446744073709551615.md",
        "profile_bcast_job0.rank0.md", "profile_alltoallv.rank0.md", "patterns-job0-rank0.md"})
    EXPECT_FALSE(FileName::parse(name)) << name;
}

using plimsoll::testing::is_time_file;

TEST(NameOfTimeFile, WritesParsedNameUnchanged) {
  for (const char* name :
       {"alltoallv_execution_times.rank0_comm1_job2.md", "alltoall_late_arrival_times.rank3_comm0_job0.md",
        "ineighbor_alltoallw_timestamps.rank0_comm1_job18446744073709551615.md",
        "alltoallv_locations_comm1_rank7.md", "alltoallv_locations_comm1_rank7_job3.md",
        "alltoallv_init_comm_data_rank4294967295.md", "allgatherv_backtrace_rank2_trace11.md",
        "neighbor_alltoallv_content_hashes.rank3_comm1_job2.md", "collectives.job17.json"}) {
    const auto parsed = FileName::parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->text(), name);
    EXPECT_TRUE(is_time_file(name));
  }
}

TEST(NameOfTimeFile, IdentifiesContentOfFile) {
  const auto name = FileName::parse("iallgatherv_locations_comm1_rank7.md");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->kind, FileKind::locations);
  EXPECT_EQ(name->operation, (Operation{Exchange::allgatherv, Mode::nonblocking, false}));
  EXPECT_EQ(name->communicator, 1U);
  EXPECT_EQ(name->lead, 7U);
  EXPECT_FALSE(name->job);
}

TEST(NameOfTimeFile, IsParsedInAllVariants) {
  // The name in the README, the tools' name without ".md", and names with missing or reordered parts.
  for (const char* name : {"alltoallv_late_arrivals_timings.rank5_comm6_job7.md",
                           "alltoallv_late_arrival_times.rank5_comm6_job_7",
                           "alltoallv_late_arrival_times_job7_comm6_rank5.md"}) {
    const auto parsed = FileName::parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->text(), "alltoallv_late_arrival_times.rank5_comm6_job7.md");
    EXPECT_EQ(parsed->job, 7U);
  }
  const auto jobless = FileName::parse("alltoallv_execution_times.rank5_comm6.md");
  ASSERT_TRUE(jobless);
  EXPECT_FALSE(jobless->job);
}

TEST(NameOfTimeFile, RejectsNamesOfOtherFiles) {
  for (const char* name :
       {"", ".md", "send-counters.job0.rank0.txt", "counts.rank0_call0.md", "profile_alltoallv_job0.rank0.md",
        "timestamps.rank0.md", "bcast_execution_times.rank0_comm0_job0.md",
        "alltoallv_execution_times.rank0_job0.md", "alltoallv_execution_times.rank0_rank1_comm0_job0.md",
        "alltoallv_execution_times.rank0_comm0_job0.md~", "alltoallv_execution_times.rank_comm0_job0.md",
        "alltoallv_execution_times.rank4294967296_comm0.md", "alltoallv_locations_comm0.md",
        "alltoallv_backtrace_rank0.md", "alltoallv_comm_data_rank0_comm1.md", "collectives.json",
        "collectives.job.json", "collectives.job1.json.partial", "_locations_comm0_rank0.md"})
    EXPECT_FALSE(is_time_file(name)) << name;
}

}  // namespace
}  // namespace plimsoll::collectives
