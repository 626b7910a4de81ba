#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/mpi_callers.hpp>

#include "collectives/mpi_calls/example_calls.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns the location of a call in a function at a line of md.c.
std::string in(const std::string& function, int line) {
  return "app(" + function + "+0x10) [0x" + std::to_string(line) + "] md.c:" + std::to_string(line);
}

/// Returns a site of 10 s and 100 calls: main calls sum_all() for 1 s; h_psi calls it for 7 s, in two places
/// of run(); nothing is known of 2 s.
MpiCalls::Site site_in_wrapper() {
  MpiCalls::Site site = {.location = in("reduce", 5), .ranks = 1, .calls = 100, .time_s = 10};
  site.callers = {{{in("sum_all", 9), in("h_psi", 20), in("run", 30), in("main", 50)}, 40, 4},
                  {{in("sum_all", 9), in("h_psi", 20), in("run", 31), in("main", 50)}, 30, 3},
                  {{in("sum_all", 9), in("main", 51)}, 10, 1}};
  return site;
}

TEST(MpiCallers, BeginAtInnermostLevelAtWhichTheyDiffer) {
  const std::vector<Caller> callers = callers_of(site_in_wrapper());
  ASSERT_EQ(callers.size(), 2u);
  EXPECT_EQ(callers[0].location, in("h_psi", 20));
  EXPECT_EQ(callers[0].calls, 70u);
  EXPECT_EQ(callers[0].time_s, 7);
  EXPECT_EQ(callers[1].location, in("main", 51));
  EXPECT_THAT(callers[1].callers, IsEmpty());
  ASSERT_EQ(callers[0].callers.size(), 2u);
  EXPECT_EQ(callers[0].callers[0].location, in("run", 30));
  EXPECT_EQ(callers[0].callers[0].time_s, 4);
  EXPECT_EQ(callers[0].callers[1].location, in("run", 31));
}

TEST(MpiCallers, HaveTheBytesAndWaitsOfTheirCallersIfAllAreKnown) {
  MpiCalls::Site site = site_in_wrapper();
  EXPECT_EQ(callers_of(site)[0].bytes, std::nullopt);
  for (std::size_t k = 0; k < 2; ++k) {
    site.callers[k].sent_bytes = 8;
    site.callers[k].received_bytes = 16 * k;
    site.callers[k].waited_s = 0.5;
  }
  EXPECT_EQ(callers_of(site)[0].bytes, 32u);
  EXPECT_EQ(callers_of(site)[0].waited_s, 1);
  EXPECT_EQ(callers_of(site)[0].callers[0].bytes, 8u);
  EXPECT_EQ(callers_of(site)[1].waited_s, std::nullopt);
}

TEST(MpiCallers, AreEmptyIfAllCallsHaveTheSame) {
  MpiCalls::Site site = site_in_wrapper();
  site.callers.resize(1);
  EXPECT_THAT(callers_of(site), IsEmpty());
  site.callers.clear();
  EXPECT_THAT(callers_of(site), IsEmpty());
  EXPECT_EQ(name_with_caller(site), "md.c:5 (reduce)");
}

TEST(MpiCallers, AreNamedIfTheyHaveMoreThanHalfOfTheTime) {
  MpiCalls::Site site = site_in_wrapper();
  EXPECT_EQ(name_with_caller(site), "md.c:5 (reduce), mostly called from md.c:20 (h_psi)");
  site.time_s = 14;
  EXPECT_EQ(name_with_caller(site), "md.c:5 (reduce)");
}

TEST(MpiCallers, StandForTheModuleThatPythonCodeCalls) {
  const std::string loop = "python(solve+0x2) [0x2] /home/me/solve.py:9";
  const std::string step = "python(step+0x4) [0x4] /home/me/solve.py:20";
  MpiCalls::Site site = {.location = in("send", 5), .ranks = 1, .calls = 100, .time_s = 10};
  site.callers = {{{in("wrap", 9), step, loop}, 100, 10}};
  ASSERT_EQ(callers_of(site).size(), 1u);
  EXPECT_EQ(callers_of(site)[0].location, step);
  EXPECT_THAT(callers_of(site)[0].callers, IsEmpty()) << "the same";
  EXPECT_EQ(name_with_caller(site), "solve.py:20 (step)");
  site.callers = {{{in("wrap", 9), step, loop}, 60, 6}, {{in("wrap", 9), loop}, 40, 4}};
  EXPECT_EQ(name_with_caller(site), "mostly solve.py:20 (step)");
}

MpiCalls calls_in_wrapper() {
  MpiCalls calls = example_calls();
  calls.sites[0].callers = {{{in("step", 7), in("main", 9)}, 5, 12}, {{in("check", 8)}, 3, 4}};
  return calls;
}

TEST(MpiCallers, SurviveWritingAndReading) {
  const MpiCalls calls = calls_in_wrapper();
  EXPECT_EQ(parse_mpi_calls(to_json(calls), "f"), calls);
  EXPECT_THAT(to_json(example_calls()), ::testing::Not(HasSubstr("callers")));
}

TEST(MpiCallers, AreCheckedWhenRead) {
  const std::string text = to_json(calls_in_wrapper());
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = text;
    changed.replace(changed.find(before), before.size(), after);
    return changed;
  };
  const std::string check = "[\"" + in("check", 8) + "\"]";
  EXPECT_ERROR(parse_mpi_calls(with(check, "[]"), "f"), bad_input, "expected 1 to");
  EXPECT_ERROR(parse_mpi_calls(with(check, "[7]"), "f"), bad_input, "expected a string");
  EXPECT_ERROR(parse_mpi_calls(with(check + ",\"calls\":3", check + ",\"calls\":4"), "f"), bad_input,
               "more calls than the 8 of the site");
  EXPECT_ERROR(parse_mpi_calls(with(check + ",\"calls\":3", check + ",\"calls\":0"), "f"), bad_input, "");
  const std::string sums = "\"time_s\":4.0,\"sent_bytes\":null,\"received_bytes\":null,\"waited_s\":null}";
  EXPECT_EQ(parse_mpi_calls(with(sums, "\"time_s\":4.0}"), "f").sites[0].callers[1].time_s, 4);
  EXPECT_ERROR(parse_mpi_calls(with(sums, "\"time_s\":-4.0}"), "f"), bad_input, "invalid time");
  EXPECT_ERROR(parse_mpi_calls(with(sums, "\"time_s\":4.0,\"sent_bytes\":-1}"), "f"), bad_input,
               "sent_bytes");
  EXPECT_ERROR(parse_mpi_calls(with(sums, "\"time_s\":4.0,\"waited_s\":-1}"), "f"), bad_input,
               "invalid time");
  EXPECT_ERROR(parse_mpi_calls(with("\"callers\":[", "\"callers\":7,\"other\":["), "f"), bad_input, "");
}

}  // namespace
}  // namespace plimsoll::collectives
