#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "cli/json.hpp"
#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Spec : public ::testing::Test {
 protected:
  std::string file(const std::string& content) const {
    write_file(folder_ / "phases.txt", content);
    return folder_ / "phases.txt";
  }
  std::string first_line(const std::string& content, const std::string& phases) const {
    const Outcome outcome = run_plimsoll({"spec", file(content), "--phases", phases});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find('\n'));
  }

  TemporaryFolder folder_;
};

// Example from vt's documentation. It selects these of the phases 0-1000: 0-10, 195-205, 997-1000, and 7
// phases around each of 100 and 300 to 900.
TEST_F(Spec, PrintsSelectedPhasesBeforeDetails) {
  const Outcome outcome = run_plimsoll({"spec", file("# which\n0 0 10\n%100 -3 3 200 -5 5\n")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(
      outcome.out,
      "82 of 1,001 phases (0-1000) are written: 0-10, 97-103, 195-205, 297-303, 397-403, 497-503, 597-603, "
      "697-703, 797-803, 897-903, 997-1000\n"
      "\n"
      "line  entry      meaning\n"
      "----  ---------  " +
          std::string(86, '-') +
          "\n"
          "   2  0 0 10     phases 0 to 10\n"
          "   3  %100 -3 3  each multiple of 100, 3 phases before and 3 phases after it: 0-3, 97-103, "
          "197-203, "
          "...\n"
          "   3  200 -5 5   phases 195 to 205\n");
}

TEST_F(Spec, AnalysesRequestedInterval) {
  EXPECT_EQ(first_line("0 0 2\n%5 -1 1", "0-9"), "7 of 10 phases (0-9) are written: 0-2, 4-6, 9");
  EXPECT_EQ(first_line("7", "7"), "1 of 1 phase (7) is written: 7");
  EXPECT_EQ(first_line("7", "8-20"), "None of 13 phases (8-20) is written");
  EXPECT_EQ(first_line("%1", "5-6"), "All of 2 phases (5-6) are written: 5-6");
  EXPECT_EQ(first_line("9223372036854775807", "9223372036854775806-9223372036854775807"),
            "1 of 2 phases (9223372036854775806-9223372036854775807) is written: 9223372036854775807");
  EXPECT_EQ(first_line("%2", "0-999999"),
            "500,000 of 1,000,000 phases (0-999999) are written: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, "
            "24, 26, 28, 30, ... and 499,984 more ranges (--json lists all)");
}

TEST_F(Spec, SelectsNoPhaseFromEmptyFile) {
  EXPECT_EQ(
      run_plimsoll({"spec", file("")}).out,
      "None of 1,001 phases (0-1000) is written\n\nThe file contains no entries, so it selects no phases.\n");
}

TEST_F(Spec, PrintsJson) {
  const std::string path = file("3 -1\n\n%50 0 1");
  const Json json(run_plimsoll({"spec", path, "--phases", "1-2000", "--json"}).out);
  EXPECT_EQ(json.text("/file"), path);
  EXPECT_EQ(json.integer("/interval/0"), 1);
  EXPECT_EQ(json.integer("/interval/1"), 2000);
  EXPECT_EQ(json.integer("/phases"), 2000);
  EXPECT_EQ(json.integer("/written_phases"), 1 + 2 + 39 * 2 + 1);
  ASSERT_EQ(json.size("/written"), 1 + 39 + 1U);
  EXPECT_EQ(json.integer("/written/0/0"), 1);
  EXPECT_EQ(json.integer("/written/0/1"), 3);
  EXPECT_EQ(json.integer("/written/40/0"), 2000);
  ASSERT_EQ(json.size("/entries"), 2U);
  EXPECT_EQ(json.integer("/entries/0/line"), 1);
  EXPECT_EQ(json.integer("/entries/0/negative_offset"), -1);
  EXPECT_EQ(json.text("/entries/0/meaning"), "phases 2 to 3");
  EXPECT_FALSE(json.truth("/entries/0/modulus"));
  EXPECT_EQ(json.integer("/entries/1/line"), 3);
  EXPECT_TRUE(json.truth("/entries/1/modulus"));
  EXPECT_EQ(json.integer("/entries/1/phase"), 50);
  EXPECT_EQ(json.integer("/entries/1/positive_offset"), 1);
}

TEST_F(Spec, RejectsInvalidInput) {
  const auto expect_error = [](const std::vector<std::string>& arguments, int status,
                               const std::string& what) {
    const Outcome outcome = run_plimsoll(arguments);
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, AllOf(StartsWith("plimsoll: error: "), HasSubstr(what)));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  const std::string good = file("1");
  expect_error({"spec"}, 2, "FILE");
  expect_error({"spec", folder_ / "none"}, 3, "none: cannot open");
  expect_error({"spec", folder_.path()}, 1, "is a directory");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_error({"spec", folder_ / "pipe"}, 1, "is a pipe");
  for (const char* phases :
       {"", "-", "5-", "-5", "--5", "x", "1-2-3", "0-10,20", "0 - 10", "%5", "1-x", "1--2"}) {
    expect_error({"spec", good, std::string("--phases=") + phases}, 2, "--phases");
  }
  expect_error({"spec", good, "--phases", "10-9"}, 2,
               "ends before it begins; specify the first and the last");
  expect_error({"spec", good, "--phases", "0-9223372036854775808"}, 2, "exceeds 64 bits");
  expect_error({"spec", good, "--phases", "0-9223372036854775807"}, 2,
               "more than 1,000,000 phases; specify a smaller range");
  expect_error({"spec", good, "--phases", "0-1000000"}, 2, "more than 1,000,000 phases");
  expect_error({"spec", file("1\n10 5")}, 1,
               "phases.txt:2: column 4: invalid negative offset 5: must be <= 0; use 10 0 5");
}

}  // namespace
}  // namespace plimsoll::testing
