#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace plimsoll::testing {

/// Path below the folder of real files and verdicts, e.g. shared_path("data/lb/ccm_example").
inline std::string shared_path(const std::string& below) {
  return std::string(PLIMSOLL_SHARED_DIR) + "/" + below;
}

/// Path below tests/data, the small data of this repository, e.g. own_path("lb/blocks").
inline std::string own_path(const std::string& below) {
  return std::string(PLIMSOLL_TEST_DATA_DIR) + "/" + below;
}

/// The data for tests of what holds for any data: our own, and the real ones where they are present.
inline std::vector<std::string> own_and_real(const std::vector<std::string>& own,
                                             const std::vector<std::string>& real) {
  std::vector<std::string> paths;
  for (const std::string& below : own) paths.push_back(own_path(below));
  if (!std::filesystem::exists(shared_path("data"))) return paths;
  for (const std::string& below : real) paths.push_back(shared_path(below));
  return paths;
}

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace plimsoll::testing

/// Skips the test, with one line, where the real files are absent.
#define PLIMSOLL_NEED_SHARED(below)                                      \
  if (!std::filesystem::exists(plimsoll::testing::shared_path(below))) { \
    GTEST_SKIP() << "needs the real data files (" << (below) << ")";     \
  }
