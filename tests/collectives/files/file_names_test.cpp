#include "collectives/files/file_names.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(FileNameParser, ParsesNamesOfBlockFiles) {
  const BlocksFileName name{Content::displacements, Direction::recv, 4711, 2};
  EXPECT_EQ(name.to_string(), "recv-displs.job4711.rank2.txt");
  const auto read = BlocksFileName::parse("send-counters.job0.rank1023.txt");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->direction, Direction::send);
  EXPECT_EQ(read->content, Content::counts);
  EXPECT_EQ(read->job, 0U);
  EXPECT_EQ(read->rank, 1023U);
}

TEST(FileNameParser, ParsesNamesOfCallFilesInBothForms) {
  const CallFileName plain{std::nullopt, 3, 7};
  const CallFileName of_operation{Operation{Exchange::alltoallw, Mode::nonblocking, true}, 3, 7};
  EXPECT_EQ(plain.to_string(false), "counts-rank3_call7.md");
  EXPECT_EQ(plain.to_string(true), "counts.rank3_call7.md");
  EXPECT_EQ(of_operation.to_string(false), "counts-ineighbor_alltoallw-rank3_call7.md");
  EXPECT_EQ(of_operation.to_string(true), "counts.ineighbor_alltoallw.rank3_call7.md");
  for (const CallFileName& name : {plain, of_operation}) {
    for (const bool dotted : {false, true}) {
      const auto read = CallFileName::parse(name.to_string(dotted));
      ASSERT_TRUE(read.has_value());
      EXPECT_EQ(read->operation, name.operation);
      EXPECT_EQ(read->rank, 3U);
      EXPECT_EQ(read->call, 7U);
    }
  }
}

TEST(FileNameParser, ParsesNamesOfSummaries) {
  const ProfileFileName name{Operation{Exchange::alltoall, Mode::persistent}, 8, 2};
  EXPECT_EQ(name.to_string(), "profile_alltoall_init_job8.rank2.md");
  const auto read = ProfileFileName::parse(name.to_string());
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
        "profile_bcast_job0.rank0.md", "profile_alltoallv.rank0.md", "patterns-job0-rank0.md"}) {
    EXPECT_FALSE(BlocksFileName::parse(name)) << name;
    EXPECT_FALSE(CallFileName::parse(name)) << name;
    EXPECT_FALSE(ProfileFileName::parse(name)) << name;
  }
}

}  // namespace
}  // namespace plimsoll::collectives
