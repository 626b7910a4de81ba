#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/profiles.hpp"
#include "collectives/time_files_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::first;
using plimsoll::testing::list;
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
