#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <plimsoll/lbdata/reader.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Tests on third-party LB data, skipped if the data are absent.
class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder;
  }
  static lbdata::Dataset read(const std::string& base) {
    return lbdata::read(lbdata::find_rank_files({folder + base})).dataset;
  }
  static constexpr const char* eleven_phases = "nolb-8color-16nodes-11firstphases/data";
  static constexpr const char* blocks = "synthetic-blocks/synthetic-dataset-blocks";
  static constexpr const char* fewer_tasks = "challenging_toy_fewer_tasks/toy";
  static constexpr const char* hundreds_of_tasks = "challenging_toy_hundreds_tasks/toy";
  static inline const std::string folder = std::string(PLIMSOLL_SHARED_DIR) + "/data/lb/";
};

}  // namespace plimsoll::balance::testing
