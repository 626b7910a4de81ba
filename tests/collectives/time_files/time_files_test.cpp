#include "collectives/time_files/time_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/profiles.hpp"
#include "collectives/time_files_data.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::first;
using plimsoll::testing::list;
using plimsoll::testing::NamedText;
using plimsoll::testing::names_of;
using plimsoll::testing::read_time_files;
using plimsoll::testing::ReadOne;
using plimsoll::testing::text_of;
using plimsoll::testing::time_files_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// --- Files of Plimsoll's profiler ---

std::vector<NamedText> time_files_in(const std::string& folder) {
  std::vector<NamedText> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto parsed = FileName::parse(name);
    if (parsed && parsed->kind >= FileKind::execution_times)
      files.push_back({name, plimsoll::testing::file_content(entry.path().string())});
  }
  return files;
}

TEST(TimeFileIo, ReproducesPlimsollFilesByteForByte) {
  const std::vector<NamedText> files = time_files_in(plimsoll::testing::own_path("alltoallv/forward"));
  Profile profile;
  EXPECT_THAT(read_time_files(files, profile), IsEmpty());
  ASSERT_THAT(profile.leads, SizeIs(2));
  const Lead& first = profile.leads[0];
  ASSERT_THAT(first.execution_s, SizeIs(2)) << "of two communicators";
  EXPECT_EQ(first.execution_s[0].comm_size, 6U);
  EXPECT_THAT(first.execution_s[0].calls, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(first.late_arrival_s, SizeIs(2));
  EXPECT_THAT(first.communicators.at(0).hosts,
              ElementsAre("node1", "node1", "node1", "node2", "node2", "node2"));
  EXPECT_EQ(profile.leads[1].communicators.at(0).members, list("3-5"));

  const std::vector<NamedText> written = time_files_of(profile);
  EXPECT_EQ(written.size(), files.size());
  for (const NamedText& file : files) EXPECT_EQ(text_of(written, file.name), file.text) << file.name;
}

// --- Files of the collective profiler ---

std::vector<NamedText> golden(const std::string& folder) {
  return time_files_in(plimsoll::testing::shared_path("data/alltoallv/" + folder));
}

TEST(TimeFileIo, WritesGoldenLocationsAndCommunicatorDataByteForByte) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  for (const char* folder : {"a2av_exec_timings", "a2av_late_arrival", "a2av_location"}) {
    const std::vector<NamedText> files = golden(folder);
    ASSERT_THAT(files, SizeIs(2)) << folder;
    Profile profile;
    EXPECT_THAT(read_time_files(files, profile), IsEmpty());
    const std::vector<NamedText> written = time_files_of(profile);
    EXPECT_THAT(written, SizeIs(3)) << "with collectives.job0.json";
    for (const NamedText& file : files) {
      ASSERT_THAT(names_of(written), Contains(file.name));
      if (file.name.find("times") == std::string::npos) {
        EXPECT_EQ(text_of(written, file.name), file.text);
      }
    }
  }
}

TEST(TimeFileIo, ReadsGoldenTimesAsNumbers) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  Profile profile;
  read_time_files(golden("a2av_exec_timings"), profile);
  read_time_files(golden("a2av_late_arrival"), profile);
  ASSERT_THAT(profile.leads, SizeIs(1));
  const Lead& lead = profile.leads[0];
  ASSERT_THAT(lead.execution_s, SizeIs(1));
  EXPECT_EQ(lead.execution_s[0].operation, alltoallv);
  EXPECT_EQ(lead.execution_s[0].comm_size, 4U);
  EXPECT_THAT(lead.execution_s[0].calls, ElementsAre(0));
  EXPECT_THAT(lead.execution_s[0].values, ElementsAre(0.000111, 0.000073, 0.000104, 0.000065));
  ASSERT_THAT(lead.late_arrival_s, SizeIs(1));
  EXPECT_THAT(lead.late_arrival_s[0].values, ElementsAre(0.000037, 0.000049, 0.000042, 0.000063));

  Profile again;
  EXPECT_THAT(read_time_files(time_files_of(profile), again), IsEmpty());
  EXPECT_EQ(again.leads.at(0).execution_s.at(0).values, lead.execution_s[0].values);
}

TEST(TimeFileIo, ReadsHostsAndProcessIdsFromGoldenLocations) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  Profile profile;
  read_time_files(golden("a2av_location"), profile);
  const Communicator& communicator = profile.leads.at(0).communicators.at(0);
  EXPECT_EQ(communicator.members, list("0-3"));
  EXPECT_THAT(communicator.pids, ElementsAre(22574, 22575, 22576, 22578));
  EXPECT_THAT(communicator.hosts, ElementsAre("vm", "vm", "vm", "vm"));
  ASSERT_THAT(communicator.calls, SizeIs(1));
  EXPECT_EQ(communicator.calls[0].ids, list("0"));
}

// ---- times

Profile with_values(std::vector<RankValues> Lead::*where) {
  Profile profile;
  (lead_of(profile, 7, 2).*where) = {{alltoallv, 1, 2, {0, 3}, {0.25, 0.000000001, 12.5, 0}}};
  return profile;
}

TEST(TimeFileIo, WritesTimesInSecondsWithNanoseconds) {
  EXPECT_EQ(
      text_of(time_files_of(with_values(&Lead::execution_s)),
              "alltoallv_execution_times.rank2_comm1_job7.md"),
      "FORMAT_VERSION: 9\n\n# Call 0\n0.250000000\n0.000000001\n\n# Call 3\n12.500000000\n0.000000000\n\n");
  EXPECT_THAT(names_of(time_files_of(with_values(&Lead::late_arrival_s))),
              UnorderedElementsAre("alltoallv_late_arrival_times.rank2_comm1_job7.md",
                                   "alltoallv_comm_data_rank2.md", "collectives.job7.json"));
}

TEST(TimeFileIo, WritesBeginAndEndAsTimestamps) {
  Profile profile = with_values(&Lead::begin_s);
  profile.leads[0].execution_s = {{alltoallv, 1, 2, {3}, {0.5, 1}}};
  EXPECT_EQ(text_of(time_files_of(profile), "alltoallv_timestamps.rank2_comm1_job7.md"),
            "FORMAT_VERSION: 9\n\n# Call 0\n0.250000000\n0.000000001\n\n# Call 3\n12.500000000 13.000000000\n"
            "0.000000000 1.000000000\n\n");
  Profile again;
  EXPECT_THAT(read_time_files(time_files_of(profile), again), IsEmpty());
  EXPECT_EQ(again.leads.at(0).begin_s.at(0).values, profile.leads[0].begin_s[0].values);
}

constexpr const char* times_name = "alltoallv_execution_times.rank0_comm0_job0.md";

ReadOne read_times(const std::string& calls) {
  return ReadOne(times_name, "FORMAT_VERSION: 9\n\n" + calls);
}

TEST(TimeFileIo, SkipsOnlyBrokenCall) {
  struct Case {
    const char* broken;
    std::uint64_t line;
    const char* says;
  };
  for (const auto& [broken, line, says] :
       {Case{"# Call 1\n0.1\nx\n\n", 9, "call 1"}, Case{"# Call 1\n0.1\n0.2 0.3\n\n", 9, "call 1"},
        Case{"# Call 1\n0.1\nnan\n\n", 9, "call 1"}, Case{"# Call 1\n0.1\n\n", 7, "1 ranks: expected 2"},
        Case{"# Call 1\n\n", 7, "0 ranks: expected 2"},
        Case{"# Call one\n0.1\n0.2\n\n", 7, "without call number"}, Case{"0.1\n0.2\n", 7, "outside any call"},
        Case{"# Call 2\n7\n7\n\n", 11, "duplicate call 2"}}) {
    const ReadOne read = read_times(std::string("# Call 0\n1\n2\n") + "\n" + broken + "# Call 2\n3\n4\n\n");
    ASSERT_THAT(read.findings, SizeIs(1)) << broken;
    EXPECT_EQ(read.findings[0].severity, Severity::error);
    EXPECT_EQ(read.findings[0].file, std::string("dir/") + times_name);
    EXPECT_EQ(read.findings[0].line, line) << broken;
    EXPECT_THAT(read.findings[0].what, HasSubstr(says)) << broken;
    ASSERT_THAT(read.lead().execution_s, SizeIs(1)) << broken;
    EXPECT_THAT(read.lead().execution_s[0].calls, ElementsAre(0, 2)) << broken;
  }
}

TEST(TimeFileIo, SkipsBrokenFirstCall) {
  const ReadOne read = read_times("# Call 0\n1\n\n# Call 1\n2\n3\n\n# Call 2\n4\n5\n\n");
  EXPECT_THAT(first(read.findings), HasSubstr("call 0 has values of 1 ranks: expected 2"));
  EXPECT_THAT(read.lead().execution_s.at(0).values, ElementsAre(2, 3, 4, 5));
}

TEST(TimeFileIo, ChecksNumberOfTimesAgainstKnownCommunicator) {
  Profile profile;
  Communicator communicator;
  communicator.members = list("0-1");
  lead_of(profile, 0, 0).communicators = {communicator};
  const auto findings = read_time_files(
      {{times_name, "FORMAT_VERSION: 9\n\n# Call 0\n1\n2\n\n# Call 1\n1\n\n# Call 2\n1\n\n"}}, profile);
  EXPECT_THAT(findings, SizeIs(2));
  EXPECT_THAT(profile.leads.at(0).execution_s.at(0).calls, ElementsAre(0));
}

TEST(TimeFileIo, SortsTimesByCall) {
  const ReadOne read = read_times("# Call 5\n1\n\n# Call 2\n2\n\n");
  EXPECT_THAT(read.findings, IsEmpty());
  EXPECT_THAT(read.lead().execution_s.at(0).calls, ElementsAre(2, 5));
  EXPECT_THAT(read.lead().execution_s.at(0).values, ElementsAre(2, 1));
}

TEST(TimeFileIo, IgnoresUnterminatedLine) {
  const ReadOne read = read_times("# Call 0\n1\n2\n\n# Call 1\n3\n0.12");
  EXPECT_THAT(first(read.findings), HasSubstr("truncated in the middle of its last line"));
  EXPECT_THAT(read.lead().execution_s.at(0).calls, ElementsAre(0));
  // The only call has no empty line at its end, so ranks may be missing.
  EXPECT_THAT(read_times("# Call 0\n1\n2\n").lead().execution_s, IsEmpty());
}

TEST(TimeFileIo, WarnsAboutDifferentFormatVersion) {
  const ReadOne other(times_name, "FORMAT_VERSION: 8\n\n# Call 0\n1\n\n");
  ASSERT_THAT(other.findings, SizeIs(1));
  EXPECT_EQ(other.findings[0].severity, Severity::warning);
  EXPECT_THAT(first(other.findings), HasSubstr("format version '8'"));
  EXPECT_THAT(other.lead().execution_s.at(0).values, ElementsAre(1));

  const ReadOne none(times_name, "# Call 0\n1\n\n");
  ASSERT_THAT(none.findings, SizeIs(1));
  EXPECT_EQ(none.findings[0].severity, Severity::warning);
  EXPECT_THAT(none.lead().execution_s.at(0).values, ElementsAre(1));
}

TEST(TimeFileIo, LimitsTotalNumberOfValues) {
  ReadLimits limits;
  limits.max_numbers = 3;
  Profile profile;
  const auto findings = read_time_files(
      {{times_name, "FORMAT_VERSION: 9\n\n# Call 0\n1\n2\n\n# Call 1\n1\n2\n\n"}}, profile, limits);
  EXPECT_THAT(first(findings), HasSubstr("more than 3 numbers"));
  EXPECT_THAT(profile.leads.at(0).execution_s.at(0).calls, ElementsAre(0));
}

TEST(TimeFileIo, LimitsNumberOfDiagnostics) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "# Call x\n";
  EXPECT_THAT(read_times(text).findings, SizeIs(101)) << "the last one reports that more were omitted";
}

TEST(TimeFileIo, IgnoresSecondFileWithSameTimes) {
  Profile profile;
  const std::string text = "FORMAT_VERSION: 9\n\n# Call 0\n1\n\n";
  const auto findings = read_time_files({{"alltoallv_late_arrival_times.rank0_comm0_job0.md", text},
                                         {"alltoallv_late_arrivals_timings.rank0_comm0_job0.md", text}},
                                        profile);
  EXPECT_THAT(findings, SizeIs(1));
  EXPECT_THAT(profile.leads.at(0).late_arrival_s, SizeIs(1));
}

}  // namespace
}  // namespace plimsoll::collectives
