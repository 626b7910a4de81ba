#include "pelayout/timing/timing_formats.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(TimingNames, BelongToACase) {
  EXPECT_TRUE(names_timing_of("timing.lbt_1.260101", "lbt_"));
  EXPECT_TRUE(names_timing_of("cesm_timing.lbt_1.260101-120000.gz", "lbt_1"));
  EXPECT_TRUE(names_timing_of("e3sm_timing_0002.lbt_1.260101-120000", "lbt"));
  EXPECT_FALSE(names_timing_of("cesm_timing.other.260101-120000", "lbt"));
  EXPECT_FALSE(names_timing_of("cesm_timing_stats.260101-120000", ""));
  EXPECT_FALSE(names_timing_of("_timing.lbt", "lbt"));
}

TEST(TimingNames, DenoteStatisticsAndTheirArchives) {
  for (const char* name :
       {"model_timing_stats", "e3sm_timing_stats.260101-120000.gz", "cesm_timing_0001_stats.1",
        "timing.260101-120000.tar.gz", "timing.tgz", "timing.tar"})
    EXPECT_TRUE(names_statistics(name)) << name;
  for (const char* name : {"cesm_timing.case.260101-120000", "inode_stats", "restart.tar.gz"})
    EXPECT_FALSE(names_statistics(name)) << name;
}

TEST(TimingNames, ContainTheTimeOfTheRun) {
  EXPECT_EQ(run_time_in("e3sm_timing_stats.2493504.221006-182723.gz"), "221006-182723");
  EXPECT_EQ(run_time_in("timing.221006-182723/model_timing_stats"), "221006-182723");
  EXPECT_EQ(run_time_in("a.221006-182723/b.221007-182723-x"), "221007-182723");
  for (const char* name :
       {"", "-", "a-b", "2210067-182723", "221006-1827234", "221006-18272", "221006_182723"})
    EXPECT_EQ(run_time_in(name), "") << name;
}

TEST(TimingNames, ContainTheDriver) {
  EXPECT_EQ(driver_in("0001/cesm_timing_0002_stats.221006-182723"), 2);
  EXPECT_EQ(driver_in("a.tar.gz:model_timing_0003_stats"), 3);
  EXPECT_EQ(driver_in("model_timing_stats"), 0);
}

}  // namespace
}  // namespace plimsoll::pelayout
