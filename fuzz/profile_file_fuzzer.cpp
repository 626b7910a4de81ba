// Feeds bytes to the reader of profile files. If the first byte is 'f', the rest is a file; otherwise it is
// the content of one, which gets valid checksums, because they would hide all other errors. An accepted
// profile must be unchanged after writing and reading it again, and must be safe to analyse.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/profile_file/profile_file.hpp"

namespace {

using namespace plimsoll::collectives;

constexpr std::uint64_t most_numbers = 1 << 16;

std::string with_checksums(std::string_view content) {
  std::string file;
  CheckedWriter output([&](std::string_view part) { file += part; });
  output.put(std::as_bytes(std::span(content)));
  output.finish();
  return file;
}

ProfileFileHead read(std::string_view file, Profile& profile) {
  Budget budget(most_numbers);
  const auto source = [file](char* buffer, std::size_t size, std::uint64_t position) {
    return file.substr(position).copy(buffer, size);
  };
  ProfileFileReader reader("file", file.size(), source, budget);
  reader.read(profile);
  return reader.head();
}

std::string written(const Profile& profile, const ProfileFileHead& head) {
  std::string file;
  write_profile_file(profile, head, true, [&](std::string_view part) { file += part; });
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] == 'f' ? std::string(rest) : with_checksums(rest);
  try {
    Profile profile;
    const ProfileFileHead head = read(file, profile);
    const std::string once = written(profile, head);
    Profile again;
    if (written(again, read(once, again)) != once) std::abort();
    summarize(profile);
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
