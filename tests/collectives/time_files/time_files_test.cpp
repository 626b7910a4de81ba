#include "collectives/time_files/time_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/profiles.hpp"
#include "collectives/time_files_data.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

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

/// Returns the text of the first diagnostic in one line, or an empty text without diagnostics.
std::string first(const std::vector<Diagnostic>& findings) {
  return findings.empty() ? "" : to_string(findings.front());
}

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

// --- Locations and communicator data ---

constexpr const char* locations_name = "alltoallv_locations_comm1_rank3.md";

std::string locations(const std::string& ranks, const std::string& pids, const std::string& hosts) {
  return "FORMAT_VERSION: 9\n\nCommunicator ID: 1\nCalls: 0, 2-3\nCOMM_WORLD ranks: " + ranks +
         "\nPIDs: " + pids + "\nHostnames:\n" + hosts;
}

TEST(TimeFileIo, KeepsOrderOfRanksInLocations) {
  Profile profile;
  Lead& lead = lead_of(profile, 0, 3);
  Communicator communicator;
  communicator.id = 1;
  communicator.members = list("3, 2");
  communicator.pids = {50, 51};
  communicator.hosts = {"a", "b"};
  communicator.calls = {{alltoallv, list("0, 2-3")}};
  lead.communicators = {communicator};
  EXPECT_EQ(text_of(time_files_of(profile), locations_name),
            locations("3, 2", "50-51", "\tRank 0: a\n\tRank 1: b\n"));
  EXPECT_EQ(text_of(time_files_of(profile), "alltoallv_comm_data_rank3.md"),
            "FORMAT_VERSION: 9\n\nID: 1; world rank: 3\n");
}

TEST(TimeFileIo, WritesNoCommunicatorDataIfOnlyCountsAreRecorded) {
  Profile profile;
  Communicator communicator;
  communicator.members = list("0-3");
  communicator.calls = {{alltoallv, list("0-5")}};
  lead_of(profile, 0, 0).communicators = {communicator};
  EXPECT_THAT(names_of(time_files_of(profile)), ElementsAre("collectives.job0.json"));
}

TEST(TimeFileIo, ReadsLocationsWithoutSpaces) {
  const ReadOne read(locations_name, locations("3,2", "50,51 ", "Rank 0: a\nRank 1:b\r\n"));
  EXPECT_THAT(read.findings, IsEmpty());
  const Communicator& communicator = read.lead().communicators.at(0);
  EXPECT_EQ(communicator.id, 1U);
  EXPECT_EQ(communicator.members, list("3, 2"));
  EXPECT_THAT(communicator.hosts, ElementsAre("a", "b"));
  EXPECT_THAT(communicator.pids, ElementsAre(50, 51));
}

TEST(TimeFileIo, SkipsBrokenPartsOfLocations) {
  const std::string hosts = "\tRank 0: a\n\tRank 1: b\n";
  const ReadOne pids(locations_name, locations("3, 2", "5", hosts));
  EXPECT_THAT(first(pids.findings), HasSubstr(":6: 1 process IDs for 2 ranks"));
  EXPECT_THAT(pids.lead().communicators.at(0).hosts, SizeIs(2));
  EXPECT_THAT(pids.lead().communicators.at(0).pids, IsEmpty());

  const ReadOne many(locations_name, locations("0-1000000000", "0-1000000000", hosts));
  EXPECT_THAT(first(many.findings),
              HasSubstr(":7: hosts of 2 ranks, but the communicator has 1000000001 ranks"));
  EXPECT_THAT(many.lead().communicators.at(0).pids, IsEmpty()) << "these would fill memory";

  const ReadOne ranks(locations_name, locations("3-2", "5-6", hosts));
  EXPECT_THAT(first(ranks.findings), HasSubstr(":5: invalid list of ranks"));
  EXPECT_EQ(ranks.lead().communicators.at(0).calls.at(0).ids, list("0, 2-3"));

  const ReadOne host(locations_name, locations("3, 2", "5-6", "\tRank 0: a\n\tRank 2: b\n"));
  EXPECT_THAT(first(host.findings), HasSubstr(":9: missing host of rank 1"));
  EXPECT_THAT(host.lead().communicators.at(0).hosts, IsEmpty());

  const ReadOne other("alltoallv_locations_comm2_rank3.md", locations("3, 2", "5-6", hosts));
  EXPECT_THAT(first(other.findings),
              HasSubstr(":3: communicator '1' does not match communicator 2 in the file name"));
  EXPECT_THAT(other.lead().communicators, IsEmpty());
}

TEST(TimeFileIo, ReportsConflictingCommunicatorData) {
  Profile profile;
  const auto findings = read_time_files(
      {{locations_name, locations("3, 2", "5-6", "\tRank 0: a\n\tRank 1: b\n")},
       {"alltoall_locations_comm1_rank3.md", locations("3, 2", "5-6", "\tRank 0: a\n\tRank 1: c\n")}},
      profile);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(first(findings), HasSubstr("different values for this communicator"));
  EXPECT_THAT(profile.leads.at(0).communicators.at(0).hosts, ElementsAre("a", "b"));
}

TEST(TimeFileIo, SkipsMalformedCommunicatorData) {
  const ReadOne read(
      "alltoallv_comm_data_rank3.md",
      "FORMAT_VERSION: 9\n\nID: 0; world rank: 3\nID: 1; world rank: 4\nID: x\nID: 2; world rank: 3\n");
  ASSERT_THAT(read.findings, SizeIs(2));
  EXPECT_EQ(read.findings[0].line, 4U);
  EXPECT_EQ(read.findings[1].line, 5U);
  EXPECT_THAT(read.lead().communicators, SizeIs(2));
}

// ---- jobs

TEST(TimeFileIo, AssignsFilesWithoutJobToJobOfLead) {
  Profile profile;
  lead_of(profile, 12, 3);
  read_time_files({{"alltoallv_comm_data_rank3.md", "FORMAT_VERSION: 9\n\nID: 0; world rank: 3\n"}}, profile);
  ASSERT_THAT(profile.leads, SizeIs(1));
  EXPECT_THAT(profile.leads[0].communicators, SizeIs(1));

  lead_of(profile, 13, 3);
  const auto findings = read_time_files(
      {{"alltoall_comm_data_rank3.md", "FORMAT_VERSION: 9\n\nID: 1; world rank: 3\n"}}, profile);
  EXPECT_THAT(first(findings), HasSubstr("jobs 12 and 13 are possible; read as job 12"));
  EXPECT_THAT(profile.leads[0].communicators, SizeIs(2));
}

TEST(TimeFileIo, WritesJobInFileNamesOfSeveralJobs) {
  Profile profile;
  for (const std::uint64_t job : {4, 5})
    lead_of(profile, job, 0).execution_s = {{alltoallv, 0, 1, {job}, {double(job)}}};
  const auto files = time_files_of(profile);
  EXPECT_THAT(names_of(files), Contains("alltoallv_comm_data_rank0_job5.md"));
  Profile again;
  EXPECT_THAT(read_time_files(files, again), IsEmpty());
  ASSERT_THAT(again.leads, SizeIs(2));
  EXPECT_THAT(again.leads[1].execution_s.at(0).values, ElementsAre(5.0));
  EXPECT_THAT(again.leads[1].communicators, SizeIs(1));
}

// ---- backtraces

constexpr const char* trace_name = "alltoallv_backtrace_rank0_trace0.md";

std::string trace(const std::string& frames, const std::string& calls = "0, 2-4") {
  return "FORMAT_VERSION: 9\n\nstack trace for /opt/my app pid=12\n\n# Trace\n\n" + frames +
         "\n# Context 0\n\nCommunicator: 1\nCommunicator rank: 0\nCOMM_WORLD rank: 5\nCalls: " + calls +
         "\n\n";
}

TEST(TimeFileIo, ReadsBacktracesWithFramesAndContexts) {
  Profile profile;
  Lead& lead = lead_of(profile, 0, 0);
  lead.backtraces = {
      {alltoallv, "/opt/my app", 12, {"a(f+0x1) [0x2] f.c:3", "b [0x4]"}, {{1, 0, 5, list("0, 2-4")}}}};
  const std::string text = trace("a(f+0x1) [0x2] f.c:3\nb [0x4]\n");
  EXPECT_EQ(text_of(time_files_of(profile), trace_name), text);

  const ReadOne read(trace_name, text);
  EXPECT_THAT(read.findings, IsEmpty());
  const Backtrace& backtrace = read.lead().backtraces.at(0);
  EXPECT_EQ(backtrace.program, "/opt/my app");
  EXPECT_EQ(backtrace.pid, 12U);
  EXPECT_EQ(backtrace.frames, lead.backtraces[0].frames);
  ASSERT_THAT(backtrace.contexts, SizeIs(1));
  EXPECT_EQ(backtrace.contexts[0].communicator, 1U);
  EXPECT_EQ(backtrace.contexts[0].world_rank, 5U);
  EXPECT_EQ(backtrace.contexts[0].calls, list("0, 2-4"));
}

TEST(TimeFileIo, SkipsFramesOfProfiler) {
  const ReadOne read(trace_name,
                     trace("/x/liballtoallv_backtrace.so(_mpi_alltoallv+0x1) [0x2]\n"
                           "/x/liballtoallv_backtrace.so(MPI_Alltoallv+0x1) [0x2]\n./app(main+0x1) [0x2]\n"));
  EXPECT_THAT(read.lead().backtraces.at(0).frames, ElementsAre("./app(main+0x1) [0x2]"));
}

TEST(TimeFileIo, SkipsOnlyBrokenContext) {
  const ReadOne read(
      trace_name,
      trace("a [0x1]\n", "none") +
          "# Context 1\n\nCommunicator: 1\nCommunicator rank: 0\nCOMM_WORLD rank: 5\nCalls: 7\n\n");
  ASSERT_THAT(read.findings, SizeIs(1));
  EXPECT_EQ(read.findings[0].line, 9U);
  EXPECT_THAT(read.lead().backtraces.at(0).contexts, SizeIs(1));
}

TEST(TimeFileIo, SortsBacktracesByFirstCall) {
  Profile profile;
  read_time_files({{"alltoallv_backtrace_rank0_trace10.md", trace("late [0x1]\n", "9")},
                   {"alltoallv_backtrace_rank0_trace2.md", trace("early [0x1]\n", "3")}},
                  profile);
  EXPECT_THAT(profile.leads.at(0).backtraces.at(0).frames, ElementsAre("early [0x1]"));
}

TEST(TimeFileIo, ReplacesLineBreaksInText) {
  Profile profile;
  lead_of(profile, 0, 0).backtraces = {{alltoallv, "a\nb", 1, {"f\ng"}, {}}};
  const std::string text = text_of(time_files_of(profile), trace_name);
  EXPECT_THAT(text, HasSubstr("stack trace for a?b pid=1\n"));
  EXPECT_THAT(text, HasSubstr("\nf?g\n"));
}

}  // namespace
}  // namespace plimsoll::collectives
