#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/profiles.hpp"
#include "collectives/time_files_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::list;
using plimsoll::testing::read_time_files;
using plimsoll::testing::ReadOne;
using plimsoll::testing::text_of;
using plimsoll::testing::time_files_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* index_name = "collectives.job0.json";

Signature signature(const char* calls) {
  Signature made;
  made.operation = alltoallv;
  made.comm_size = 2;
  made.calls = list(calls);
  return made;
}

Profile with_everything() {
  Profile profile;
  profile.world_size = 8;
  profile.runs = {"00c4d6e1b2a39f58", "0000000000000001"};
  profile.cut_short = list("3, 5-6");
  profile.incomplete_calls = 17;
  profile.clock_error_s = 1.5e-6;
  profile.failed_calls = {{alltoallv, 3, list("1-2")}};
  profile.hosts = {{"node7", list("0-1, 4-7")}, {"node\"8", list("2-3")}};
  Lead& lead = lead_of(profile, 0, 2);
  Communicator communicator;
  communicator.id = 1;
  communicator.members = list("2, 1");
  communicator.remote_members = list("4-7");
  communicator.calls = {{alltoallv, list("0-3, 9")}};
  lead.communicators = {communicator};
  lead.signatures = {signature("0-1"), signature("2-3, 9")};
  lead.signatures[1].send.type_sizes = {4, 8};
  lead.total_calls[alltoallv.index()] = 10;
  return profile;
}

TEST(TimeFileIndex, ContainsDataMissingFromOtherFiles) {
  EXPECT_EQ(
      text_of(time_files_of(with_everything()), index_name),
      R"({"format":"plimsoll collectives","version":1,"world_size":8,)"
      R"("runs":["00c4d6e1b2a39f58","0000000000000001"],"cut_short":"3, 5-6",)"
      R"("incomplete_calls":17,"clock_error_s":1.5e-06,)"
      R"("failed_calls":[{"operation":"alltoallv","calls":3,"ranks":"1-2"}],)"
      R"("hosts":[{"name":"node7","ranks":"0-1, 4-7"},{"name":"node\"8","ranks":"2-3"}],"leads":[{"rank":2,)"
      R"("communicators":[{"id":1,"members":"2, 1","remote_members":"4-7","calls":{"alltoallv":"0-3, 9"}}],)"
      R"("type_sizes":[{"operation":"alltoallv","first_call":2,"send":[4,8]}],)"
      R"("total_calls":{"alltoallv":10}}]})"
      "\n");
}

TEST(TimeFileIndex, RoundTripsUnchanged) {
  const Profile profile = with_everything();
  Profile read;
  Lead& counted = lead_of(read, 0, 2);  // simulates count files, which are read first
  counted.signatures = {signature("0-1"), signature("2-3, 9")};
  EXPECT_THAT(read_time_files(time_files_of(profile), read), IsEmpty());

  EXPECT_EQ(read.world_size, 8U);
  EXPECT_EQ(read.runs, profile.runs);
  EXPECT_EQ(read.cut_short, profile.cut_short);
  EXPECT_EQ(read.incomplete_calls, 17U);
  EXPECT_EQ(read.clock_error_s, 1.5e-6);
  EXPECT_EQ(read.failed_calls, profile.failed_calls);
  EXPECT_EQ(read.hosts, profile.hosts);
  ASSERT_THAT(read.leads, SizeIs(1));
  const Lead& lead = read.leads[0];
  ASSERT_THAT(lead.communicators, SizeIs(1));
  EXPECT_EQ(lead.communicators[0].members, list("2, 1"));
  EXPECT_EQ(lead.communicators[0].remote_members, list("4-7"));
  EXPECT_EQ(lead.communicators[0].calls.at(0).ids, list("0-3, 9"));
  EXPECT_THAT(lead.signatures[0].send.type_sizes, IsEmpty());
  EXPECT_THAT(lead.signatures[1].send.type_sizes, ElementsAre(4, 8));
  EXPECT_THAT(lead.signatures[1].recv.type_sizes, IsEmpty());
  EXPECT_EQ(lead.total_calls, profile.leads[0].total_calls);
}

TEST(TimeFileIndex, IsSmallForMillionEqualCalls) {
  Profile profile;
  profile.world_size = 4;
  Lead& lead = lead_of(profile, 0, 0);
  Communicator communicator;
  communicator.members = list("0-3");
  communicator.calls = {{alltoallv, list("0-999999")}};
  lead.communicators = {communicator};
  lead.signatures = {signature("0-999999")};
  lead.total_calls[alltoallv.index()] = 1000000;
  EXPECT_LT(text_of(time_files_of(profile), index_name).size(), 250U);
}

TEST(TimeFileIndex, StoresCommonDataOfSeveralJobsOnce) {
  Profile profile = with_everything();
  lead_of(profile, 5, 0);
  Profile read;
  lead_of(read, 0, 2).signatures = {signature("2")};
  read_time_files(time_files_of(profile), read);
  EXPECT_EQ(read.incomplete_calls, 17U);
  EXPECT_EQ(read.cut_short, profile.cut_short);
  EXPECT_THAT(read.leads, SizeIs(2));
}

TEST(TimeFileIndex, IsWrittenWithoutCalls) {
  Profile profile;
  profile.world_size = 3;
  Profile read;
  EXPECT_THAT(read_time_files(time_files_of(profile), read), IsEmpty());
  EXPECT_EQ(read.world_size, 3U);
  EXPECT_THAT(read.leads, IsEmpty());
}

struct Wrong {
  const char* members;  ///< members after format and version
  const char* pointer;
  const char* says;
};

TEST(TimeFileIndex, ReportsJsonPointerOfWrongTypes) {
  for (
      const auto& [members, pointer, says] : {
          Wrong{R"("world_size":"4")", "/world_size", "expected an integer >= 0"},
          Wrong{R"("world_size":-4)", "/world_size", "expected an integer >= 0"},
          Wrong{R"("world_size":4294967295)", "/world_size", "more ranks"},
          Wrong{R"("runs":"1f")", "/runs", "expected an array"},
          Wrong{R"("runs":[31])", "/runs/0", "expected a string"},
          Wrong{R"("cut_short":[1])", "/cut_short", "expected a string"},
          Wrong{R"("cut_short":"3-1")", "/cut_short", "expected a list of numbers"},
          Wrong{R"("incomplete_calls":1.5)", "/incomplete_calls", "expected an integer >= 0"},
          Wrong{R"("clock_error_s":"x")", "/clock_error_s", "expected a number"},
          Wrong{R"("failed_calls":[{"calls":1}])", "/failed_calls/0", "missing or unknown \"operation\""},
          Wrong{R"("failed_calls":[{"operation":"alltoall"}])", "/failed_calls/0",
                "missing or invalid \"calls\""},
          Wrong{R"("hosts":{})", "/hosts", "expected an array"},
          Wrong{R"("hosts":[{"name":"node1"}])", "/hosts/0", "missing \"name\" or \"ranks\""},
          Wrong{R"("hosts":[{"name":7,"ranks":"0"}])", "/hosts/0/name", "expected a string"},
          Wrong{R"("hosts":[{"name":"node1","ranks":"x"}])", "/hosts/0/ranks", "expected a list of numbers"},
          Wrong{R"("leads":{})", "/leads", "expected an array"},
          Wrong{R"("leads":[1])", "/leads/0", "expected an object"},
          Wrong{R"("leads":[{}])", "/leads/0", "missing or invalid \"rank\""},
          Wrong{R"("leads":[{"rank":4294967296}])", "/leads/0", "missing or invalid \"rank\""},
          Wrong{R"("leads":[{"rank":1},{"rank":1}])", "/leads/1", "expected ascending numbers"},
          Wrong{R"("leads":[{"rank":0,"communicators":[{"id":0},{"id":"1"}]}])",
                "/leads/0/communicators/1/id", "expected an integer >= 0"},
          Wrong{R"("leads":[{"rank":0,"communicators":[{"id":0,"members":"0-"}]}])",
                "/leads/0/communicators/0/members", "expected a list"},
          Wrong{R"("leads":[{"rank":0,"communicators":[{"id":0,"members":"0-4294967295"}]}])",
                "/leads/0/communicators/0/members", "expected a list"},
          Wrong{R"("leads":[{"rank":0,"communicators":[{"id":0,"calls":{"bcast":"0"}}]}])",
                "/leads/0/communicators/0/calls/bcast", "unknown operation"},
          Wrong{R"("leads":[{"rank":0,"total_calls":{"alltoallv":"0"}}])", "/leads/0/total_calls/alltoallv",
                "expected an integer >= 0"},
          Wrong{R"("leads":[{"rank":0,"type_sizes":[{"operation":"x","first_call":0}]}])",
                "/leads/0/type_sizes/0", "missing or unknown \"operation\""},
          Wrong{R"("leads":[{"rank":0,"type_sizes":[{"operation":"alltoallv","first_call":1}]}])",
                "/leads/0/type_sizes/0", "no count set of Alltoallv has first call 1"},
          Wrong{R"("leads":[{"rank":0,"type_sizes":[{"operation":"alltoallv","first_call":0,"send":[4]}]}])",
                "/leads/0/type_sizes/0/send", "expected 2 numbers"},
          Wrong{
              R"("leads":[{"rank":0,"type_sizes":[{"operation":"alltoallv","first_call":0,"recv":[4,"8"]}]}])",
              "/leads/0/type_sizes/0/recv", "expected 2 numbers"},
      }) {
    Profile profile;
    lead_of(profile, 0, 0).signatures = {signature("0")};
    const auto findings = read_time_files(
        {{index_name, std::string(R"({"format":"plimsoll collectives","version":1,)") + members + "}"}},
        profile);
    ASSERT_FALSE(findings.empty()) << members;
    EXPECT_EQ(findings[0].pointer, pointer) << members;
    EXPECT_THAT(findings[0].what, HasSubstr(says)) << members;
    EXPECT_EQ(findings[0].file, std::string("dir/") + index_name);
  }
}

TEST(TimeFileIndex, RejectsInvalidIndex) {
  for (const char* text :
       {"", "{", "[]", "1", "{}", R"({"format":1})", R"({"format":"x","version":1})", "\xff"}) {
    const ReadOne read(index_name, text);
    ASSERT_FALSE(read.findings.empty()) << text;
    EXPECT_EQ(read.findings.back().severity, Severity::error) << text;
    EXPECT_THAT(read.profile.leads, IsEmpty());
  }
}

TEST(TimeFileIndex, WarnsAboutDifferentVersion) {
  const ReadOne read(index_name, R"({"format":"plimsoll collectives","version":2,"world_size":4,"new":[]})");
  ASSERT_THAT(read.findings, SizeIs(1));
  EXPECT_EQ(read.findings[0].severity, Severity::warning);
  EXPECT_EQ(read.profile.world_size, 4U);
}

TEST(TimeFileIndex, ReportsConflictingCommunicatorData) {
  Profile profile;
  Communicator communicator;
  communicator.members = list("0-1");
  lead_of(profile, 0, 0).communicators = {communicator};
  const auto findings = read_time_files(
      {{index_name,
        R"({"format":"plimsoll collectives","version":1,"leads":[{"rank":0,"communicators":[{"id":0,"members":"0-2"}]}]})"}},
      profile);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].pointer, "/leads/0/communicators/0/members");
  EXPECT_EQ(profile.leads[0].communicators[0].members, list("0-1"));
}

}  // namespace
}  // namespace plimsoll::collectives
