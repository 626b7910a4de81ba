#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace plimsoll::testing {

/// Returns a path below the directory of real files and verdicts, e.g. shared_path("data/lb/ccm_example").
inline std::string shared_path(const std::string& below) {
  return std::string(PLIMSOLL_SHARED_DIR) + "/" + below;
}

/// Returns a path below tests/data, the small data sets of this repository, e.g. own_path("lb/blocks").
inline std::string own_path(const std::string& below) {
  return std::string(PLIMSOLL_TEST_DATA_DIR) + "/" + below;
}

/// Returns data sets for tests that must pass for any data: the small ones of this repository and, if
/// present, the real ones.
inline std::vector<std::string> own_and_real(const std::vector<std::string>& own,
                                             const std::vector<std::string>& real) {
  std::vector<std::string> paths;
  std::ranges::transform(own, std::back_inserter(paths), own_path);
  if (std::filesystem::exists(shared_path("data")))
    std::ranges::transform(real, std::back_inserter(paths), shared_path);
  return paths;
}

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace plimsoll::testing

/// Skips the test and prints one line if the real files are missing.
#define PLIMSOLL_NEED_SHARED(below)                                      \
  if (!std::filesystem::exists(plimsoll::testing::shared_path(below))) { \
    GTEST_SKIP() << "requires the real data files (" << (below) << ")";  \
  }
