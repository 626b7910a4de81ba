#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/timing_text.hpp"

// Checks that an incomplete or invalid timing profile causes an error with a position, and never gives a
// wrong number.

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::error_of;
using plimsoll::testing::replaced;
using plimsoll::testing::TimingText;

struct BrokenText {
  std::string old_part;
  std::string new_part;
  std::uint64_t line;
  std::string message;

  friend void PrintTo(const BrokenText& broken, std::ostream* output) { *output << broken.message; }
};

class TimingFileParser : public ::testing::TestWithParam<BrokenText> {};

TEST_P(TimingFileParser, ReportsPositionOfError) {
  const BrokenText& broken = GetParam();
  const std::string text = replaced(TimingText().str(), broken.old_part, broken.new_part);
  const auto error = error_of([&] { parse_timing_file(text, "dir/cesm_timing.x"); });
  ASSERT_TRUE(error.has_value()) << broken.new_part;
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->diagnostic().file, "dir/cesm_timing.x");
  EXPECT_EQ(error->diagnostic().line, broken.line) << error->what();
  EXPECT_THAT(error->diagnostic().what, ::testing::HasSubstr(broken.message));
}

// The rows of the table are in lines 14 (CPL) to 16 (OCN); the run times are in lines 30 (TOT) to 33 (OCN).
const std::string atm_row = "  atm = cam        64          0        64     x 1       1      (1     ) \n";
const std::string ocn_row = "  ocn = pop        32          0        32     x 1       1      (1     ) \n";
const std::string ocn_time =
    "    OCN Run Time:      90.125 seconds        9.012 seconds/mday        26.26 myears/wday \n";

INSTANTIATE_TEST_SUITE_P(
    Numbers, TimingFileParser,
    ::testing::Values(
        BrokenText{"200.250 seconds", "nan seconds", 32, "invalid value \"nan\" for "},
        BrokenText{"200.250 seconds", "inf seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "********** seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "1e400 seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "1e300 seconds", 32, "too large"},
        BrokenText{"200.250 seconds", "-200.250 seconds", 32, "must be >= 0"},
        BrokenText{"200.250 seconds", "2.0025D+02 seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "200,250 seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "2oo.250 seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "200.250seconds", 32, "expected a number"},
        BrokenText{"200.250 seconds", "0x10 seconds", 32, "expected a number"},
        BrokenText{"20.025 seconds/mday", "nan seconds/mday", 32, "per model day"},
        BrokenText{"64     x 1 ", "64.5   x 1 ", 14, "invalid value \"64.5\" for tasks: expected an integer"},
        BrokenText{"64     x 1 ", "0      x 1 ", 14, "invalid value 0 for tasks"},
        BrokenText{"64     x 1 ", "-64    x 1 ", 14, "invalid value -64 for tasks"},
        BrokenText{"64     x 1 ", "****** x 1 ", 14, "expected an integer"},
        BrokenText{"64     x 1 ", "99999999999999999999 x 1 ", 14, "expected an integer"},
        BrokenText{"64     x 1 ", "9999999999 x 1 ", 14, "must be between"},
        BrokenText{"x 1 ", "x 0 ", 14, "invalid value 0 for threads"},
        BrokenText{"x 1 ", "y 1 ", 14, "missing \"x\""},
        BrokenText{"(1     )", "(one   )", 14, "invalid value \"one\" for stride"},
        BrokenText{"active           : 128", "active           : many", 18, "processors"},
        BrokenText{"36.51 ", "cheap ", 23, "cost"},
        BrokenText{"run length  : 10 days", "run length  : ten days", 10, "expected a number"},
        BrokenText{"run length  : 10 days", "run length  : 0 days", 10, "run length is zero"},
        BrokenText{"run length  : 10 days", "run length  : -10 days", 10, "must be >= 0"},
        BrokenText{"run length  : 10 days", "run length  : 10 years", 10, "must be in days"},
        BrokenText{"run length  : 10 days (10 for ocean)", "run length  :", 10, "the line ends before"}));

INSTANTIATE_TEST_SUITE_P(
    Lines, TimingFileParser,
    ::testing::Values(
        BrokenText{ocn_time, "", 16, "missing run time of OCN"},
        BrokenText{ocn_row, "", 32, "\"OCN\" has a run time, but no row"},
        BrokenText{ocn_row,
                   ocn_row + "  ocn = pop        64          0        64     x 1       1      (1     ) \n",
                   17, "OCN appears twice in the table, first in line 16"},
        BrokenText{ocn_row, ocn_row + ocn_row, 17, "OCN appears twice in the table"},
        BrokenText{ocn_row, "  ocn = pop        32          0        32     x 1       1\n", 16,
                   "truncated line"},
        BrokenText{ocn_row, "  ocn = pop        32          0        32     x 1       1      (1\n", 16,
                   "truncated line"},
        BrokenText{ocn_row, "  ocn = pop        32          0        3\n", 16, "missing \"x\""},
        BrokenText{ocn_row, "  ocn = pop        32          0\n", 16, "the line ends before tasks"},
        BrokenText{ocn_row, "  ocn\n", 16, "invalid row in the table"},
        BrokenText{ocn_row,
                   "  o\x1b[31m = pop        32          0        32     x 1       1      (1     ) \n", 16,
                   "invalid row in the table"},
        BrokenText{
            ocn_time,
            ocn_time +
                "    OCN Run Time:      91.125 seconds        9.112 seconds/mday        26.26 myears/wday \n",
            34, "conflicting run time of \"OCN\" in line 33"},
        BrokenText{
            ocn_time,
            "    CPL COMM Time:     17.675 seconds        1.768 seconds/mday       133.93 myears/wday \n" +
                ocn_time,
            35, "conflicting time of CPL COMM in line 33"},
        BrokenText{"9.012 seconds/mday        26.26 myears/wday", "", 33,
                   "line ends before the run time per model day"},
        BrokenText{"9.012 seconds/mday        26.26 myears/wday", "9.012 sec", 33,
                   "line ends before the throughput"},
        BrokenText{"myears/wday", "myears", 30, "truncated line of run times"},
        BrokenText{"  run length  : 10 days (10 for ocean)\n", "", 33, "missing run length"},
        BrokenText{"  run length  : 10 days (10 for ocean)\n",
                   "  run length  : 10 days (10 for ocean)\n  run_length  : 11 days\n", 11,
                   "conflicting run length in line 10"},
        BrokenText{"  component       comp_pes ", "  c", 34, "missing table of components"},
        BrokenText{"---------------- TIMING", "some text\n---------------- TIMING", 1,
                   "the first line must be"}));

std::string up_to(const std::string& text, std::string_view part) {
  return text.substr(0, text.find(part));
}

TEST(TimingFileParser, RejectsAbortedRun) {
  const std::string text = TimingText().str();
  EXPECT_ERROR(parse_timing_file(up_to(text, "    TOT Run Time"), "f"), bad_input, "aborted");
  EXPECT_ERROR(parse_timing_file(up_to(text, "\n  total pes"), "f"), bad_input, "missing run times");
  EXPECT_ERROR(parse_timing_file(up_to(text, "  component "), "f"), bad_input, "missing table of components");
  EXPECT_ERROR(parse_timing_file(up_to(text, "    CPL Run Time"), "f"), bad_input, "missing run time of CPL");
}

// A truncated file must give an error or the same numbers as the whole file.
TEST(TimingFileParser, RejectsTruncatedTextUnlessNumbersAreComplete) {
  const std::string text = TimingText().str();
  const TimingFile whole = parse_timing_file(text, "f");
  int read = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto error = error_of([&] {
      const TimingFile cut = parse_timing_file(text.substr(0, size), "f");
      EXPECT_EQ(cut.components, whole.components) << size;
      EXPECT_EQ(cut.total_seconds_per_day, whole.total_seconds_per_day) << size;
      ++read;
    });
    if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::bad_input) << size;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 120) << "truncated only within the last line, which is not of a component";
}

TEST(TimingFileParser, RejectsTruncatedFilesUnlessNumbersAreComplete) {
  for (const std::string& path :
       testing::own_and_real({"cime/timing/timing_1"}, {"data/cime/timing/timing_1"})) {
    SCOPED_TRACE(path);
    const std::string text = testing::file_content(path);
    const TimingFile whole = parse_timing_file(text, "f");
    for (std::size_t size = 0; size < text.size(); size += 7) {
      const auto error = error_of([&] {
        EXPECT_EQ(parse_timing_file(text.substr(0, size), "f").components, whole.components) << size;
      });
      if (error) {
        EXPECT_EQ(error->kind(), ErrorKind::bad_input) << size;
      }
    }
  }
}

TEST(TimingFileParser, RejectsFilesThatAreNotTimingProfiles) {
  EXPECT_ERROR(parse_timing_file("", "f"), bad_input, "not a timing profile");
  EXPECT_ERROR(parse_timing_file("\n\n\n", "f"), bad_input, "not a timing profile");
  EXPECT_ERROR(parse_timing_file(std::string(1000, '\0'), "f"), bad_input, "not a timing profile");
  EXPECT_ERROR(parse_timing_file("\x7f"
                                 "ELF\x02\x01\x01\n",
                                 "f"),
               bad_input, "not a timing profile");
  EXPECT_ERROR(parse_timing_file("***** GLOBAL STATISTICS ( 2 MPI TASKS) *****\n", "f"), bad_input,
               "not a timing profile");
  EXPECT_ERROR(parse_timing_file(std::string(100000, 'x'), "f"), bad_input, "too long");
}

TEST(TimingFileParser, RejectsTwoProfilesInOneFile) {
  const std::string text = TimingText().str();
  EXPECT_ERROR(parse_timing_file(text + text, "f"), bad_input, "f:35: second timing profile in this file");
  EXPECT_ERROR(parse_timing_file(text + "-------- DRIVER TIMING FLOWCHART ------\nCPL:X\n" + text, "f"),
               bad_input, "f:37: second timing profile in this file");
}

TEST(TimingFileParser, RejectsTooManyComponents) {
  TimingText text;
  for (int k = 0; k < 1001; ++k) text.rows.push_back({fmt::format("X{}", k), "m", 1, 1.0});
  EXPECT_ERROR(parse_timing_file(text.str(), "f"), bad_input, "more than 1000 components");
}

}  // namespace
}  // namespace plimsoll::pelayout
