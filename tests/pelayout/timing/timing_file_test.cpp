#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"

// Tests Plimsoll's own files, whose values were chosen, and real files, whose values were read manually.

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

struct Expected {
  std::string component;
  std::string model;
  std::int64_t tasks;
  std::int64_t root;
  double seconds;
};

struct ExpectedFile {
  std::string path;
  std::string case_name;
  std::string log_id;
  std::string grid;
  double days;
  std::vector<Expected> components;
  double total_seconds;
  double coupling_seconds;
  std::int64_t processors;
  double cost;
  double throughput;
};

const std::string x2_grid = "a%1.9x2.5_l%1.9x2.5_oi%1.9x2.5_r%null_g%null_w%null_m%gx1v7";
const std::string ne30_grid = "a%ne30np4_l%ne30np4_oi%gx1v6_r%r05_m%gx1v6_g%null_w%null";
const std::string own_grid = "a%own_l%own_oi%own_r%own_m%own_g%null_w%null";
const std::string pfs = "f19_f19_mg17.2000_XATM_XLND_XICE_XOCN_SROF_SGLC_SWAV.ubuntu-latest_gnu.lbt1";

std::vector<Expected> all_on(std::int64_t tasks, std::int64_t esp_tasks, const std::string& letter,
                             const std::vector<double>& seconds) {
  return {{"CPL", "CPL", tasks, 0, seconds[0]},  {"ATM", "XATM", tasks, 0, seconds[1]},
          {"LND", "XLND", tasks, 0, seconds[2]}, {"ICE", "XICE", tasks, 0, seconds[3]},
          {"OCN", "XOCN", tasks, 0, seconds[4]}, {"ROF", letter + "ROF", tasks, 0, seconds[5]},
          {"GLC", letter + "GLC", tasks, 0, 0},  {"WAV", letter + "WAV", tasks, 0, 0},
          {"ESP", "SESP", esp_tasks, 0, 0}};
}

/// Returns values for IceLndAtmOcn with ROF after LND, on 16 tasks times `scale`.
std::vector<Expected> side_by_side(std::int64_t scale, const std::vector<double>& seconds) {
  return {{"CPL", "CPL", 14 * scale, 0, seconds[0]},
          {"ATM", "XATM", 14 * scale, 0, seconds[1]},
          {"LND", "XLND", 6 * scale, 8 * scale, seconds[2]},
          {"ICE", "XICE", 8 * scale, 0, seconds[3]},
          {"OCN", "XOCN", 2 * scale, 14 * scale, seconds[4]},
          {"ROF", "XROF", 6 * scale, 8 * scale, seconds[5]},
          {"GLC", "SGLC", 1, 0, 0},
          {"WAV", "SWAV", 1, 0, 0},
          {"ESP", "SESP", 1, 0, 0}};
}

const std::vector<ExpectedFile>& own_files() {
  static const std::vector<ExpectedFile> files = {
      {"timing/timing_1", "own_run_1", "000000-000001", own_grid, 10,
       side_by_side(1, {47.714, 136, 68, 68, 204, 5}), 256.714, 2.5, 16, 41.64, 9.22},
      {"timing/timing_2", "own_run_2", "000000-000002", own_grid, 10,
       side_by_side(2, {24.857, 72, 36, 36, 108, 3}), 135.857, 5, 32, 44.08, 17.42},
      {"timing/timing_3", "own_run_3", "000000-000003", own_grid, 10,
       side_by_side(4, {13.429, 40, 20, 20, 60, 2}), 75.429, 7.5, 64, 48.94, 31.38},
  };
  return files;
}

const std::vector<ExpectedFile>& real_files() {
  static const std::vector<ExpectedFile> files = {
      {"timing/timing_1", "lbt_timing_run_1", "170911-105102", ne30_grid, 10,
       all_on(2, 8, "X", {324.956, 20.444, 29.597, 45.316, 0.383, 5.402}), 450.174, 17.674, 8, 36.51, 5.26},
      {"timing/timing_2", "lbt_timing_run_2", "170911-105938", ne30_grid, 10,
       all_on(4, 8, "X", {230.786, 10.763, 15.610, 25.715, 0.200, 3.775}), 318.103, 20.367, 8, 25.80, 7.44},
      {"timing/timing_3", "lbt_timing_run_3", "170911-110557", ne30_grid, 10,
       all_on(8, 8, "X", {192.504, 6.064, 9.020, 15.208, 0.132, 3.640}), 266.378, 24.289, 8, 21.61, 8.89},
      {"real-timing/n1_cesm_timing.x2.261121-030739", "x2", "261121-030739", x2_grid, 2,
       all_on(1, 1, "S", {6.060, 1.904, 3.493, 1.584, 0.664, 0}), 14.723, 0.951, 1, 5.97, 32.16},
      {"real-timing/n2_cesm_timing.x2.261121-030800", "x2", "261121-030800", x2_grid, 2,
       all_on(2, 2, "S", {5.192, 1.819, 3.484, 0.986, 0.195, 0}), 19.707, 3.098, 2, 7.99, 24.02},
      {"real-timing/n4_cesm_timing.x2.261121-030826", "x2", "261121-030826", x2_grid, 2,
       all_on(4, 4, "S", {3.746, 0.755, 3.750, 0.366, 0.084, 0}), 23.504, 1.917, 4, 9.53, 20.14},
      {"real-timing/conc_cesm_timing.x2.261121-030857",
       "x2",
       "261121-030857",
       x2_grid,
       2,
       {{"CPL", "CPL", 2, 0, 4.907},
        {"ATM", "XATM", 2, 0, 1.959},
        {"LND", "XLND", 1, 1, 6.193},
        {"ICE", "XICE", 1, 0, 3.872},
        {"OCN", "XOCN", 1, 2, 0.625},
        {"ROF", "SROF", 1, 0, 0},
        {"GLC", "SGLC", 1, 0, 0},
        {"WAV", "SWAV", 1, 0, 0},
        {"ESP", "SESP", 1, 0, 0}},
       22.444,
       3.556,
       3,
       9.10,
       21.09},
      {"real-timing/submit/cesm_timing.PFS_I0." + pfs + ".261121-031946", "PFS_I0." + pfs, "261121-031946",
       x2_grid, 2, all_on(1, 8, "S", {9.216, 2.923, 5.392, 2.412, 1.024, 0}), 22.514, 1.457, 8, 9.13, 21.03},
      {"real-timing/submit/cesm_timing.PFS_I1." + pfs + ".261121-032015", "PFS_I1." + pfs, "261121-032015",
       x2_grid, 2, all_on(2, 8, "S", {9.025, 3.779, 6.738, 1.092, 0.897, 0}), 30.832, 12.379, 8, 12.50,
       15.35},
  };
  return files;
}

void expect_content(const TimingFile& file, const ExpectedFile& expected) {
  EXPECT_EQ(file.case_name, expected.case_name);
  EXPECT_EQ(file.log_id, expected.log_id);
  EXPECT_EQ(file.grid, expected.grid);
  EXPECT_EQ(file.driver_instance, 0);
  EXPECT_EQ(file.run_days, expected.days);
  EXPECT_EQ(file.processors, expected.processors);
  EXPECT_EQ(file.cost, expected.cost);
  EXPECT_EQ(file.throughput, expected.throughput);
  EXPECT_EQ(file.total_seconds, expected.total_seconds);
  EXPECT_DOUBLE_EQ(file.total_seconds_per_day.value(), expected.total_seconds / expected.days);
  EXPECT_DOUBLE_EQ(file.coupling_seconds_per_day.value(), expected.coupling_seconds / expected.days);
  EXPECT_TRUE(file.warnings.empty());

  ASSERT_EQ(file.components.size(), expected.components.size());
  for (std::size_t k = 0; k < file.components.size(); ++k) {
    const ComponentTiming& component = file.components[k];
    EXPECT_EQ(component.component, expected.components[k].component);
    EXPECT_EQ(component.model, expected.components[k].model);
    EXPECT_EQ(component.tasks, expected.components[k].tasks);
    EXPECT_EQ(component.root, expected.components[k].root);
    EXPECT_EQ(component.threads, 1);
    EXPECT_EQ(component.instances, 1);
    EXPECT_EQ(component.stride, 1);
    EXPECT_EQ(component.seconds, expected.components[k].seconds);
    EXPECT_DOUBLE_EQ(component.seconds_per_day, expected.components[k].seconds / expected.days);
  }
}

class SyntheticTimingFile : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SyntheticTimingFile, IsReadWithExpectedValues) {
  const ExpectedFile& expected = own_files()[GetParam()];
  const TimingFile file = read_timing_file(testing::own_path("cime/" + expected.path));
  EXPECT_EQ(file.machine, "nowhere");
  EXPECT_EQ(file.compset, "2000_XATM_XLND_XICE_XOCN_XROF_SGLC_SWAV");
  EXPECT_EQ(file.processors_per_node, 16);
  expect_content(file, expected);
}

INSTANTIATE_TEST_SUITE_P(All, SyntheticTimingFile, ::testing::Range<std::size_t>(0, 3));

class RealTimingFile : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RealTimingFile, IsReadWithExpectedValues) {
  PLIMSOLL_NEED_SHARED("data/cime");
  const ExpectedFile& expected = real_files()[GetParam()];
  const TimingFile file = read_timing_file(testing::shared_path("data/cime/" + expected.path));
  EXPECT_EQ(file.machine, expected.days == 10 ? "pauling" : "ubuntu-latest");
  EXPECT_EQ(file.compset, expected.days == 10 ? "2000_XATM_XLND_XICE_XOCN_XROF_XGLC_XWAV"
                                              : "2000_XATM_XLND_XICE_XOCN_SROF_SGLC_SWAV");
  EXPECT_EQ(file.processors_per_node, 8);
  expect_content(file, expected);
}

INSTANTIATE_TEST_SUITE_P(All, RealTimingFile, ::testing::Range<std::size_t>(0, 9));

}  // namespace
}  // namespace plimsoll::pelayout
