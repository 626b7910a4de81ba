#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Sequential reader of the raw bytes of a file or of a memory buffer.
class RawInput {
 public:
  /// Opens a file. Throws Error: system if the file cannot be opened, bad_input if it is a directory.
  explicit RawInput(const std::string& path);
  RawInput(std::string_view content, std::string name);

  /// Fills the buffer, or reads up to the end of the file. Returns the number of bytes read. Throws Error
  /// (system).
  std::size_t read(char* buffer, std::size_t size);

  /// Returns the size of a regular file; for other files, the number of bytes read so far.
  std::uint64_t file_bytes() const;
  const std::string& name() const { return name_; }

 private:
  std::size_t read_some(char* buffer, std::size_t size);

  std::string name_;
  Descriptor descriptor_;
  std::string_view content_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace plimsoll::support
