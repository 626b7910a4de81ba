#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plimsoll::testing {

/// A temporary directory of one test or benchmark. The destructor removes it with all its files.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "plimsoll-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  /// Creates a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this / name;
  }
  std::string read(const std::string& name) const {
    std::ostringstream content;
    content << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return content.str();
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  /// Returns the total size of the files in the directory, without subdirectories.
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const auto& file : std::filesystem::directory_iterator(path_))
      if (file.is_regular_file()) sum += static_cast<std::int64_t>(file.file_size());
    return sum;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace plimsoll::testing
