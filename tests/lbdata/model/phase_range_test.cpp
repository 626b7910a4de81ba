#include <limits>

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
}  // namespace plimsoll::lbdata
