#include "collectives/time_files/time_file_text.hpp"

#include <gtest/gtest.h>

#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(TimeFileName, WritesParsedNameUnchanged) {
  for (const char* name :
       {"alltoallv_execution_times.rank0_comm1_job2.md", "alltoall_late_arrival_times.rank3_comm0_job0.md",
        "ineighbor_alltoallw_timestamps.rank0_comm1_job18446744073709551615.md",
        "alltoallv_locations_comm1_rank7.md", "alltoallv_locations_comm1_rank7_job3.md",
        "alltoallv_init_comm_data_rank4294967295.md", "allgatherv_backtrace_rank2_trace11.md",
        "neighbor_alltoallv_content_hashes.rank3_comm1_job2.md", "collectives.job17.json"}) {
    const auto parsed = TimeFileName::parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->file_name(), name);
    EXPECT_TRUE(is_time_file(name));
  }
}

TEST(TimeFileName, IdentifiesContentOfFile) {
  const auto name = TimeFileName::parse("iallgatherv_locations_comm1_rank7.md");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->kind, TimeFileKind::locations);
  EXPECT_EQ(name->operation, (Operation{Exchange::allgatherv, Mode::nonblocking, false}));
  EXPECT_EQ(name->communicator, 1U);
  EXPECT_EQ(name->lead, 7U);
  EXPECT_FALSE(name->job);
}

TEST(TimeFileName, IsParsedInAllVariants) {
  // The name in the README, the tools' name without ".md", and names with missing or reordered parts.
  for (const char* name : {"alltoallv_late_arrivals_timings.rank5_comm6_job7.md",
                           "alltoallv_late_arrival_times.rank5_comm6_job_7",
                           "alltoallv_late_arrival_times_job7_comm6_rank5.md"}) {
    const auto parsed = TimeFileName::parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->file_name(), "alltoallv_late_arrival_times.rank5_comm6_job7.md");
    EXPECT_TRUE(names_job(name));
  }
  const auto jobless = TimeFileName::parse("alltoallv_execution_times.rank5_comm6.md");
  ASSERT_TRUE(jobless);
  EXPECT_FALSE(jobless->job);
  EXPECT_FALSE(names_job("alltoallv_execution_times.rank5_comm6.md"));
}

TEST(TimeFileName, RejectsNamesOfOtherFiles) {
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
