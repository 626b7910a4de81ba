#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace plimsoll::testing {

/// Path below the folder of real files and verdicts, e.g. shared_path("data/lb/ccm_example").
inline std::string shared_path(const std::string& below) {
  return std::string(PLIMSOLL_SHARED_DIR) + "/" + below;
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
