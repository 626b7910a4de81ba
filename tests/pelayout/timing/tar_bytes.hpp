#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace plimsoll::testing {

/// Returns the header of a file in a tar archive (POSIX.1-1988). `type` is '0' for a file, '5' for a
/// directory and '2' for a link to `target`.
inline std::string tar_header(const std::string& name, std::size_t size, char type = '0',
                              const std::string& target = "") {
  std::string header(512, '\0');
  const auto put = [&](std::size_t place, const std::string& text) {
    header.replace(place, text.size(), text);
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(148, "        ");  // blanks while the checksum is computed
  header[156] = type;
  put(157, target);
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned checksum = 0;
  for (const char byte : header) checksum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", checksum) + std::string("\0 ", 2));
  return header;
}

inline std::string tar_member(const std::string& name, const std::string& content) {
  return tar_header(name, content.size()) + content + std::string((512 - content.size() % 512) % 512, '\0');
}

/// Returns a tar archive of files with these names and contents.
inline std::string tar_bytes(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string bytes;
  for (const auto& [name, content] : files) bytes += tar_member(name, content);
  return bytes + std::string(1024, '\0');
}

}  // namespace plimsoll::testing
