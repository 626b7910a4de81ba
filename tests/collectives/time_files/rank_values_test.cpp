#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/time_files/time_files.hpp"
#include "collectives/time_files_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::ReadOne;
using plimsoll::testing::text_of;
using plimsoll::testing::time_files_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* file_name = "alltoallv_content_hashes.rank2_comm1_job7.md";

TEST(ContentHashesFile, ContainsHashesPerCallAndRank) {
  Profile profile;
  lead_of(profile, 7, 2).hashes = {
      {Operation{}, 1, 2, {0, 3}, {{1, 0xfedcba9876543210}, {0, 0}, {2, 0}, {0, 3}}}};
  const std::string text =
      "FORMAT_VERSION: 9\n\n"
      "# Call 0\n0000000000000001 fedcba9876543210\n- -\n\n"
      "# Call 3\n0000000000000002 -\n- 0000000000000003\n\n";
  EXPECT_EQ(text_of(time_files_of(profile), file_name), text);
  EXPECT_EQ(text_of(time_files_of(profile), "alltoallv_comm_data_rank2.md"),
            "FORMAT_VERSION: 9\n\nID: 1; world rank: 2\n");
  const ReadOne read(file_name, text);
  EXPECT_THAT(read.findings, IsEmpty());
  ASSERT_THAT(read.lead().hashes, SizeIs(1));
  EXPECT_EQ(read.lead().hashes[0].communicator, 1U);
  EXPECT_EQ(read.lead().hashes[0].values, profile.leads[0].hashes[0].values);
}

TEST(ContentHashesFile, IsReadWithoutMalformedCalls) {
  for (const char* broken : {"123 -", "000000000000000g -", "0000000000000001", "0000000000000001 - -",
                             "0000000000000000 -", "00000000000000001 -"}) {
    const ReadOne read(file_name, std::string("FORMAT_VERSION: 9\n\n# Call 0\n- -\n") + broken +
                                      "\n\n# Call 1\n- -\n- -\n\n");
    ASSERT_THAT(read.findings, SizeIs(1)) << broken;
    EXPECT_THAT(to_string(read.findings[0]), HasSubstr("invalid pair of hashes; call 0 skipped"));
    EXPECT_THAT(read.lead().hashes.at(0).calls, ElementsAre(1)) << broken;
  }
}

TEST(ContentHashesFile, IsReadUpToLimit) {
  Profile profile;
  std::vector<Diagnostic> findings;
  read_time_file(file_name, FileName::parse(file_name).value(),
                 "FORMAT_VERSION: 9\n\n# Call 0\n- -\n\n# Call 1\n- -\n\n", profile, findings,
                 {.max_numbers = 2});
  EXPECT_THAT(profile.leads.at(0).hashes.at(0).calls, ElementsAre(0));
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(to_string(findings[0]), HasSubstr("more than 2 numbers"));
}

}  // namespace
}  // namespace plimsoll::collectives
