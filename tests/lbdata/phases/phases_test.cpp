#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/lbdata/phases.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

TEST(PhaseRange, ParsesRanges) {
  for (const PhaseRange range : {PhaseRange{7, 7}, PhaseRange{97, 103}, PhaseRange{0, 1}}) {
    EXPECT_EQ(parse_phase_range(to_string(range), "--phases"), range);
    EXPECT_EQ(range.size(), range.last - range.first + 1);
  }
  EXPECT_EQ(parse_phase_range("0-9223372036854775807", "--phases").last,
            std::numeric_limits<std::int64_t>::max());
}

TEST(PhaseRange, RejectsInvalidTextAndNamesOption) {
  for (const char* text : {"", "-", "5-", "-5", "x", "1-2-3", "0 - 10", "%5", "1--2", "0-10,20"})
    EXPECT_ERROR(parse_phase_range(text, "--range"), usage,
                 std::string("--range \"") + text +
                     "\": expected a range of phases; specify the first and the last phase");
  EXPECT_ERROR(parse_phase_range("0-9223372036854775808", "--range"), usage, "a number exceeds 64 bits");
  EXPECT_ERROR(parse_phase_range("10-9", "--range"), usage, "ends before it begins");
  EXPECT_ERROR(parse_phase_range("\x1b[31m", "--range"), usage, "--range \"\\u001b[31m\": ");
}

}  // namespace

namespace {

std::vector<std::int64_t> selected(const char* text, std::int64_t end) {
  const PhaseSelection selection = PhaseSelection::parse(text);
  std::vector<std::int64_t> phases;
  for (std::int64_t phase = 0; phase < end; ++phase) {
    if (selection.contains(phase)) phases.push_back(phase);
  }
  return phases;
}

using Phases = std::vector<std::int64_t>;

TEST(PhaseSelection, CombinesNumbersRangesAndSteps) {
  EXPECT_EQ(selected("3", 10), Phases({3}));
  EXPECT_EQ(selected("0-3", 10), Phases({0, 1, 2, 3}));
  EXPECT_EQ(selected("0-2,20,%50", 120), Phases({0, 1, 2, 20, 50, 100}));
  EXPECT_EQ(selected(" 7 , 1 - 2 ,% 4", 10), Phases({0, 1, 2, 4, 7, 8}));
  EXPECT_EQ(selected("5-8,2-3,3-6,8", 12), Phases({2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(selected("0-9223372036854775807", 3), Phases({0, 1, 2}));
}

TEST(PhaseSelection, FindsSelectedPhaseInRange) {
  for (const char* text : {"3", "0-2,20,%50", "7,9-12", "%4", "0-9223372036854775807"}) {
    const PhaseSelection selection = PhaseSelection::parse(text);
    for (std::int64_t first = 0; first < 60; ++first) {
      bool expected = false;
      EXPECT_FALSE(selection.contains_any(first, first - 1));
      for (std::int64_t last = first; last < 60; ++last) {
        expected = expected || selection.contains(last);
        EXPECT_EQ(selection.contains_any(first, last), expected) << text << " " << first << "-" << last;
      }
    }
  }
}

TEST(PhaseSelection, SelectsEveryPhaseWithAll) {
  EXPECT_TRUE(PhaseSelection::all().is_all());
  EXPECT_TRUE(PhaseSelection::all().contains(std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(PhaseSelection::all().contains(-1));
  EXPECT_TRUE(PhaseSelection::parse("%1").is_all());
  EXPECT_FALSE(PhaseSelection::parse("%2").is_all());
  EXPECT_FALSE(PhaseSelection::parse("%2").contains(-2));
}

TEST(PhaseSelection, ReportsPositionOfSyntaxError) {
  EXPECT_ERROR(PhaseSelection::parse(""), usage,
               "phase selection \"\", character 1: expected a number; use numbers, ranges");
  EXPECT_ERROR(PhaseSelection::parse("1,"), usage, "character 3: expected a number");
  EXPECT_ERROR(PhaseSelection::parse("1,,2"), usage, "character 3: expected a number");
  EXPECT_ERROR(PhaseSelection::parse("-1"), usage, "character 1: expected a number");
  EXPECT_ERROR(PhaseSelection::parse("1-"), usage, "character 3: expected a number");
  EXPECT_ERROR(PhaseSelection::parse("1 2"), usage, "character 3: unexpected text");
  EXPECT_ERROR(PhaseSelection::parse("4-2"), usage, "character 3: the range ends before it begins");
  EXPECT_ERROR(PhaseSelection::parse("%0"), usage, "character 2: invalid step 0: must be >= 1");
  EXPECT_ERROR(PhaseSelection::parse("9223372036854775808"), usage, "character 1: the number is too large");
  EXPECT_ERROR(PhaseSelection::parse("\n"), usage, "phase selection \"\\n\", character 1: ");
}

}  // namespace
}  // namespace plimsoll::lbdata
