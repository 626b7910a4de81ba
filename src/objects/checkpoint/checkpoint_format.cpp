#include "objects/checkpoint/checkpoint_format.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <utility>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects::checkpoint_format {

namespace {

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

std::string manifest_path(const std::string& folder) {
  return path_in(folder, "checkpoint.manifest");
}

std::string records_path(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number) {
  return path_in(folder, fmt::format("checkpoint.{:016x}.{}.records", checkpoint, number));
}

std::optional<std::uint64_t> checkpoint_of(const std::string& file_name) {
  static const std::regex pattern(R"(checkpoint\.([0-9a-f]{16})\.[0-9]+\.records(\.unfinished)?)");
  std::smatch match;
  if (!std::regex_match(file_name, match, pattern)) return std::nullopt;
  return std::stoull(match[1], nullptr, 16);
}

std::uint64_t checksum(const RecordHeader& header, std::span<const std::byte> bytes, std::uint64_t previous) {
  const auto covered = std::as_bytes(std::span(&header, 1)).first(offsetof(RecordHeader, checksum));
  return support::hash_bytes(bytes, support::hash_bytes(covered, previous));
}

void check_start(const FileStart& start, std::uint64_t magic, const std::string& path) {
  if (start.magic == __builtin_bswap64(magic)) {
    throw support::bad_input("was written on a machine with another byte order", path,
                             "use a machine like that on which the checkpoint was written");
  }
  if (start.magic != magic) throw damaged("is not a file of a checkpoint", path, 0);
  if (start.version != version) {
    throw support::bad_input(fmt::format("has format version {}: expected {}", start.version, version), path,
                             "use the version of Plimsoll that wrote the checkpoint");
  }
}

Error damaged(std::string what, const std::string& path, std::uint64_t byte) {
  return {ErrorKind::bad_input,
          {.what = std::move(what),
           .file = path,
           .byte = byte,
           .suggestion = "use an undamaged copy, or an earlier checkpoint"}};
}

}  // namespace plimsoll::objects::checkpoint_format
