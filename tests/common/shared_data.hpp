#pragma once

#include <gtest/gtest.h>

#include <algorithm>
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

/// Skips the test, with one line, where the real files are absent.
#define PLIMSOLL_NEED_SHARED(below)                                      \
  if (!std::filesystem::exists(plimsoll::testing::shared_path(below))) { \
    GTEST_SKIP() << "needs the real data files (" << (below) << ")";     \
  }
