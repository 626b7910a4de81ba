#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/support/json_view.hpp>

#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

/// Returns a profile of two ranks of two hosts with two Alltoallv calls.
Profile timed_profile() {
  Profile profile{.world_size = 2};
  Lead& lead = profile.leads.emplace_back();
  lead.communicators.push_back(communicator(0, "0-1", "4-5"));
  lead.communicators[0].hosts = {"a", "b"};
  lead.begin_s = {{.comm_size = 2, .calls = {4, 5}, .values = {1, 1.5, 2, 2.25}}};
  lead.execution_s = {{.comm_size = 2, .calls = {4, 5}, .values = {0.75, 0.25, 1e-9, 3}}};
  return profile;
}

std::string trace_of(const RecordedRun& run) {
  std::string text;
  write_chrome_trace(run, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(ChromeTrace, ContainsCompleteEventOfEachCallAndRank) {
  const std::string text = trace_of(timed_profile());
  support::JsonParser parser("trace");
  std::vector<std::vector<double>> events;  // rank, call, begin and duration in microseconds
  parser.parse(text).for_each_element([&](const support::JsonView& event) {
    if (event.at("ph").text() != "X") return;
    EXPECT_EQ(event.at("name").text(), "Alltoallv");
    EXPECT_EQ(event.at("tid").number(), 0);
    EXPECT_EQ(event.at("args").at("communicator").number(), 0);
    events.push_back({event.at("pid").number(), event.at("args").at("call").number(), event.at("ts").number(),
                      event.at("dur").number()});
  });
  EXPECT_EQ(events,
            (std::vector<std::vector<double>>{
                {0, 4, 1e6, 0.75e6}, {0, 5, 2e6, 0.001}, {1, 4, 1.5e6, 0.25e6}, {1, 5, 2.25e6, 3e6}}));
}

// Call 4 of rank 1, such as a nonblocking one that is completed later, ends after call 5 has begun.
TEST(ChromeTrace, ShowsCallsThatOverlapOnSeparateThreads) {
  Profile profile = timed_profile();
  profile.leads[0].execution_s[0].values[1] = 1;
  const std::string text = trace_of(profile);
  support::JsonParser parser("trace");
  std::vector<std::vector<double>> events;  // rank, call and thread
  parser.parse(text).for_each_element([&](const support::JsonView& event) {
    if (event.at("ph").text() != "X") return;
    events.push_back(
        {event.at("pid").number(), event.at("args").at("call").number(), event.at("tid").number()});
  });
  EXPECT_EQ(events, (std::vector<std::vector<double>>{{0, 4, 0}, {0, 5, 0}, {1, 4, 0}, {1, 5, 1}}));
}

TEST(ChromeTrace, NamesProcessesInOrderOfRanks) {
  const std::string text = trace_of(timed_profile());
  support::JsonParser parser("trace");
  std::vector<std::string> names;
  parser.parse(text).for_each_element([&](const support::JsonView& event) {
    if (event.at("name").text() != "process_name") return;
    EXPECT_EQ(event.at("ph").text(), "M");
    EXPECT_EQ(event.at("pid").number(), static_cast<double>(names.size()));
    names.emplace_back(event.at("args").at("name").text());
  });
  EXPECT_EQ(names, (std::vector<std::string>{"rank 0 (a)", "rank 1 (b)"}));
}

TEST(ChromeTrace, RequiresTimes) {
  Profile profile = timed_profile();
  profile.leads[0].begin_s.clear();
  EXPECT_ERROR(trace_of(profile), bad_input, "does not contain times of collective calls");
}

}  // namespace
}  // namespace plimsoll::collectives
