#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/profiles.hpp"
#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// An event as printed by otf2-print, which reads traces independently of this project.
struct Event {
  std::string kind;
  std::uint64_t location = 0;
  std::uint64_t time_ns = 0;
  std::string rest;
};

/// Returns the output of otf2-print, which must succeed without warnings.
std::string printed(const std::string& folder, const std::string& options) {
  const std::string command = std::string(PLIMSOLL_OTF2_PRINT) + " --warnings-as-errors " + options + " " +
                              support::shell_quoted(folder + "/traces.otf2") + " 2>&1";
  std::FILE* const output = popen(command.c_str(), "r");
  std::string text;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, output)) text.append(part, size);
  EXPECT_EQ(pclose(output), 0) << text;
  return text;
}

std::vector<Event> events_of(const std::string& folder) {
  std::vector<Event> events;
  std::istringstream lines(printed(folder, ""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Event event;
    if (!(words >> event.kind >> event.location >> event.time_ns)) continue;
    std::getline(words >> std::ws, event.rest);
    events.push_back(event);
  }
  return events;
}

class Otf2Trace : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(PLIMSOLL_OTF2_PRINT).empty()) GTEST_SKIP() << "needs otf2-print";
  }
  TemporaryFolder folder_;
};

/// Returns a profile of two ranks of two hosts with two Alltoallv calls and an Ialltoallv call.
Profile timed_profile() {
  constexpr Operation ialltoallv{Exchange::alltoallv, Mode::nonblocking};
  Profile profile = world_profile({sending({{1, 2}, {3, 4}}, "4-5", 8)});
  Lead& lead = profile.leads[0];
  lead.communicators.push_back(communicator(0, "0-1", "4-5"));
  lead.communicators[0].hosts = {"a", "b"};
  lead.begin_s = {{.operation = {}, .comm_size = 2, .calls = {4, 5}, .values = {1, 1.5, 2, 2.25}},
                  {.operation = ialltoallv, .comm_size = 2, .calls = {0}, .values = {1.8, 1.9}}};
  lead.execution_s = {{.operation = {}, .comm_size = 2, .calls = {4, 5}, .values = {0.75, 0.25, 1e-9, 3}},
                      {.operation = ialltoallv, .comm_size = 2, .calls = {0}, .values = {0.1, 0.1}}};
  return profile;
}

TEST_F(Otf2Trace, ContainsCallsInOrderOfTime) {
  EXPECT_EQ(write_otf2_trace(timed_profile(), folder_ / "trace"), 6);
  std::vector<std::string> of_rank_1;
  for (const Event& event : events_of(folder_ / "trace"))
    if (event.location == 1)
      of_rank_1.push_back(event.kind + " " + std::to_string(event.time_ns) + " " + event.rest);
  EXPECT_THAT(of_rank_1,
              ElementsAre(HasSubstr("ENTER 1500000000 Region: \"MPI_Alltoallv\""),
                          HasSubstr("MPI_COLLECTIVE_BEGIN 1500000000"),
                          ::testing::AllOf(HasSubstr("MPI_COLLECTIVE_END 1750000000"), HasSubstr("ALLTOALLV"),
                                           HasSubstr("communicator 0 of lead rank 0"), HasSubstr("Sent: 56"),
                                           HasSubstr("Received: 48")),
                          HasSubstr("LEAVE 1750000000 Region: \"MPI_Alltoallv\""),
                          HasSubstr("ENTER 1900000000 Region: \"MPI_Ialltoallv\""),
                          HasSubstr("LEAVE 2000000000 Region: \"MPI_Ialltoallv\""),
                          HasSubstr("ENTER 2250000000"), HasSubstr("MPI_COLLECTIVE_BEGIN 2250000000"),
                          HasSubstr("MPI_COLLECTIVE_END 5250000000"), HasSubstr("LEAVE 5250000000")));
}

TEST_F(Otf2Trace, DescribesRanksHostsAndCommunicators) {
  write_otf2_trace(timed_profile(), folder_ / "trace");
  const std::string definitions = printed(folder_ / "trace", "--show-global-defs");
  for (const char* part : {"\"rank 1\"", "\"a\"", "\"b\"", "\"node\"", "\"communicator 0 of lead rank 0\"",
                           "Ticks per Seconds: 1000000000"})
    EXPECT_THAT(definitions, HasSubstr(part));
}

TEST_F(Otf2Trace, HasSameTimesAsProfile) {
  const ReadResult read = collectives::read({plimsoll::testing::own_path("alltoallv/forward")});
  EXPECT_EQ(write_otf2_trace(read.profile, folder_ / "trace"), 48);
  std::multimap<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> expected;
  for_each_timed_call(read.profile, [&](const TimedCall& call) {
    const auto begin_ns = static_cast<std::uint64_t>(std::llround(call.begin_s * 1e9));
    expected.insert(
        {call.rank, {begin_ns, begin_ns + static_cast<std::uint64_t>(std::llround(call.duration_s * 1e9))}});
  });
  std::multimap<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> found;
  std::map<std::uint64_t, std::uint64_t> entered;
  std::size_t events = 0;
  for (const Event& event : events_of(folder_ / "trace")) {
    ++events;
    if (event.kind == "ENTER") entered[event.location] = event.time_ns;
    if (event.kind == "LEAVE") found.insert({event.location, {entered.at(event.location), event.time_ns}});
  }
  EXPECT_EQ(events, 48U * 4) << "all calls are blocking";
  const auto sorted = [](const auto& map) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> list;
    for (const auto& [rank, times] : map) list.emplace_back(rank, times.first, times.second);
    std::ranges::sort(list);
    return list;
  };
  EXPECT_EQ(sorted(found), sorted(expected));
}

TEST_F(Otf2Trace, PlacesOverlappingCallsOnFurtherLocations) {
  Profile profile = timed_profile();
  profile.leads[0].begin_s[1].values = {1.2, 1.6};  // during call 4 on both ranks
  write_otf2_trace(profile, folder_ / "trace");
  const std::vector<Event> events = events_of(folder_ / "trace");
  EXPECT_THAT(events, SizeIs(4 * 4 + 2 * 2));
  EXPECT_TRUE(std::ranges::any_of(events, [](const Event& event) {
    return event.location == 3 && event.time_ns == 1'600'000'000 && event.kind == "ENTER";
  }));
  EXPECT_THAT(printed(folder_ / "trace", "--show-global-defs"), HasSubstr("\"rank 1 thread 1\""));
}

TEST_F(Otf2Trace, BeginsWithFirstCallIfItPrecedesInit) {
  Profile profile = timed_profile();
  profile.leads[0].begin_s[0].values[0] = -0.5;
  write_otf2_trace(profile, folder_ / "trace");
  const std::vector<Event> events = events_of(folder_ / "trace");
  EXPECT_EQ(events.at(0).time_ns, 0U);
  EXPECT_EQ(events.back().time_ns, 5'750'000'000U);
}

TEST_F(Otf2Trace, IsOverwrittenOnlyOnRequestAndAlone) {
  write_otf2_trace(timed_profile(), folder_ / "trace");
  EXPECT_ERROR(write_otf2_trace(timed_profile(), folder_ / "trace"), usage, "already exists");
  Profile other = timed_profile();
  other.leads[0].begin_s[0].values[0] = 0.5;
  write_otf2_trace(other, folder_ / "trace", true);
  EXPECT_EQ(events_of(folder_ / "trace").at(0).time_ns, 500'000'000U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);

  std::filesystem::create_directory(folder_ / "other");
  std::ofstream(folder_ / "other/notes") << "mine";
  EXPECT_ERROR(write_otf2_trace(other, folder_ / "other", true), usage, "not an OTF2 trace");
  EXPECT_EQ(plimsoll::testing::file_content(folder_ / "other/notes"), "mine");
}

TEST_F(Otf2Trace, RequiresTimes) {
  Profile profile = timed_profile();
  profile.leads[0].begin_s.clear();
  EXPECT_ERROR(write_otf2_trace(profile, folder_ / "trace"), bad_input, "does not contain times");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace"));
}

}  // namespace
}  // namespace plimsoll::collectives
