#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/json_view.hpp>

#include "common/throws_error.hpp"
#include "report/two_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

TEST(PhaseTrace, ShowsTasksOneAfterAnotherInEachPhase) {
  std::string text;
  const std::uint64_t tasks = write_phase_trace(two_ranks(), std::vector<std::int64_t>{0, 1},
                                                [&](std::string_view part) { text += part; });
  EXPECT_EQ(tasks, 6);
  using Times = std::pair<double, double>;  // begin and duration, in microseconds
  std::map<std::tuple<std::int64_t, std::string, double>, Times> events;
  support::JsonParser parser("trace");
  int names = 0;
  parser.parse(text).for_each_element([&](const support::JsonView& event) {
    if (event.at("ph").text() == "M") {
      ++names;
      return;
    }
    EXPECT_EQ(event.at("ph").text(), "X");
    const double begin = event.at("ts").number();
    events[{event.at("pid").whole_number(0, 1), std::string(event.at("name").text()), begin}] = {
        begin, event.at("dur").number()};
  });
  EXPECT_EQ(names, 6);  // process, phases and tasks of each rank
  // Rank 1 determines the length of each phase, 3 s.
  const decltype(events) expected = {{{0, "phase 0", 0}, {0, 3e6}},
                                     {{1, "phase 0", 0}, {0, 3e6}},
                                     {{0, "object 3", 0}, {0, 1.5e6}},
                                     {{0, "object 4", 1.5e6}, {1.5e6, 0.5e6}},
                                     {{1, "object 5", 0}, {0, 3e6}},
                                     {{0, "phase 1", 3e6}, {3e6, 3e6}},
                                     {{1, "phase 1", 3e6}, {3e6, 3e6}},
                                     {{0, "object 3", 3e6}, {3e6, 1.5e6}},
                                     {{0, "object 4", 4.5e6}, {4.5e6, 0.5e6}},
                                     {{1, "object 5", 3e6}, {3e6, 3e6}}};
  EXPECT_EQ(events, expected);
}

TEST(PhaseTrace, RejectsLoadsBeyondTheRangeOfTimes) {
  lbdata::Dataset dataset = two_ranks();
  dataset.ranks[0].phases[0].tasks.time_s[0] = 1e308;
  EXPECT_ERROR(write_phase_trace(dataset, std::vector<std::int64_t>{0}, [](std::string_view) {}), bad_input,
               "too large for points in time");
}

}  // namespace
}  // namespace plimsoll::report
