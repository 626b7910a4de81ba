// Feeds bytes to the reader of tar archives. Its files must not be larger than the archive in total.

#include <cstdlib>
#include <string_view>

#include <plimsoll/support/error.hpp>

#include "pelayout/timing/tar_members.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view archive(reinterpret_cast<const char*>(data), size);
  std::size_t bytes = 0;
  try {
    plimsoll::pelayout::for_each_tar_member(
        archive, "input", [&](const std::string&, std::string_view content) { bytes += content.size(); });
  } catch (const plimsoll::Error&) {
  }
  if (bytes > size) std::abort();
  return 0;
}
