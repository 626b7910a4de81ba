#include "runtime/bindings/program_defaults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

TEST(ProgramDefaults, HaveNamesOfSettings) {
  ProgramDefaults defaults;
  defaults.set("lb_data", "true");
  defaults.set("lb_data_dir", "out");
  defaults.set("lb_history", "3");
  EXPECT_TRUE(defaults.settings().lb_data);
  EXPECT_EQ(defaults.settings().lb_data_dir, "out");
  EXPECT_EQ(defaults.settings().lb_history, 3);
  EXPECT_FALSE(defaults.settings().lb_statistics);
}

TEST(ProgramDefaults, EnableStatisticsThroughEachOfTheirSettings) {
  ProgramDefaults implied;
  implied.set("lb_statistics_freq", "3");
  EXPECT_TRUE(implied.settings().lb_statistics);
  implied.set("lb_statistics", "false");
  implied.set("lb_statistics_dir", "x");
  EXPECT_FALSE(implied.settings().lb_statistics);
}

TEST(ProgramDefaults, RejectUnknownNamesAndInvalidValues) {
  ProgramDefaults defaults;
  EXPECT_ERROR(defaults.set("lb_dta", "1"), usage, "unknown setting \"lb_dta\"; did you mean lb_data?");
  EXPECT_ERROR(defaults.set("something else", "x"), usage, "use --vt_lb_show_config to list all settings");
  EXPECT_ERROR(defaults.set("", "x"), usage, "unknown setting \"\"");
  EXPECT_ERROR(defaults.set("lb_history", "-1"), usage,
               "invalid value \"-1\" for lb_history; use an integer >= 0");
  EXPECT_EQ(defaults.settings().lb_history, Settings().lb_history);
}

}  // namespace
}  // namespace plimsoll::runtime
