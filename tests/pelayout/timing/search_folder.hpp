#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/temporary_folder.hpp"

namespace plimsoll::testing {

/// Searches timing files below a temporary directory.
class SearchFolder : public ::testing::Test {
 protected:
  void add(const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(folder / path).parent_path());
    folder.write(path, content);
  }
  /// Returns the paths of the files found, relative to the directory.
  std::vector<std::string> found(pelayout::TimingSearch search) {
    search.root = folder.path();
    files = find_timing_files(search);
    std::vector<std::string> paths;
    for (const pelayout::TimingFile& file : files.files)
      paths.push_back(file.path.substr(folder.path().size() + 1));
    return paths;
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> texts;
    for (const Diagnostic& warning : files.warnings) texts.push_back(to_string(warning));
    return texts;
  }

  TemporaryFolder folder;
  pelayout::TimingFiles files;
};

}  // namespace plimsoll::testing
