#include "objects/checkpoint/checkpoint_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <regex>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
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

namespace plimsoll::PLIMSOLL_ABI::objects {

using namespace checkpoint_format;

namespace {

/// The part of the manifest whose size does not vary.
struct ManifestStart {
  FileStart file;
  std::uint64_t description_bytes;
};
static_assert(sizeof(ManifestStart) == 32);

template <class Elements>
void append(std::string& text, const Elements& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Removes the beginning of a text and copies it to `elements`.
template <class Elements>
void take_into(const Elements& elements, std::string_view& text) {
  const auto bytes = std::as_writable_bytes(std::span(elements));
  if (!bytes.empty()) std::memcpy(bytes.data(), text.data(), bytes.size());
  text.remove_prefix(bytes.size());
}

/// Returns the size of the manifest that begins with `start`, or nothing if that is more than `max_bytes`.
std::optional<std::uint64_t> size_of(const ManifestStart& start, std::uint64_t max_bytes) {
  if (start.description_bytes > max_bytes) return std::nullopt;
  return sizeof start + start.file.number * sizeof(FileSummary) + start.description_bytes +
         sizeof(std::uint64_t);
}

}  // namespace

std::string to_text(const CheckpointManifest& manifest) {
  const ManifestStart start{
      {manifest_magic, version, static_cast<std::uint32_t>(manifest.files.size()), manifest.checkpoint},
      manifest.description.size()};
  std::string text;
  append(text, std::span(&start, 1));
  append(text, manifest.files);
  append(text, manifest.description);
  const std::uint64_t checksum = support::hash_bytes(text);
  append(text, std::span(&checksum, 1));
  return text;
}

std::string read_manifest(const std::string& folder) {
  if (!support::identity(manifest_path(folder))) {
    throw support::bad_input("the directory does not contain a complete checkpoint", folder,
                             "check the name of the directory");
  }
  return support::read_text_file(manifest_path(folder), std::numeric_limits<std::uint64_t>::max());
}

CheckpointManifest parse_manifest(std::string_view text, const std::string& folder) {
  const std::string path = manifest_path(folder);
  ManifestStart start{};
  std::uint64_t expected = 0;
  std::string_view rest = text;
  if (text.size() < sizeof start + sizeof expected) throw damaged("is too short", path, text.size());
  take_into(std::span(&start, 1), rest);
  check_start(start.file, manifest_magic, path);
  if (size_of(start, text.size()) != text.size())
    throw damaged(fmt::format("has {} bytes, which contradicts its beginning", text.size()), path, 0);
  CheckpointManifest manifest{.checkpoint = start.file.checkpoint};
  manifest.files.resize(start.file.number);
  manifest.description.resize(start.description_bytes);
  take_into(std::span(manifest.files), rest);
  take_into(std::span(manifest.description), rest);
  take_into(std::span(&expected, 1), rest);
  if (support::hash_bytes(text.substr(0, text.size() - sizeof expected)) != expected)
    throw damaged("does not match its checksum", path, text.size() - sizeof expected);
  return manifest;
}

void remove_unlisted_files(const std::string& folder) noexcept try {
  std::optional<std::uint64_t> listed;
  if (support::identity(manifest_path(folder)))
    listed = parse_manifest(read_manifest(folder), folder).checkpoint;
  support::for_each_entry(folder, [&](const std::filesystem::directory_entry& entry) {
    const auto owner = checkpoint_of(entry.path().filename().string());
    std::error_code ignored;
    if (owner && owner != listed) std::filesystem::remove(entry.path(), ignored);
  });
} catch (...) {
  // The files only use space on the disk, which must not make a checkpoint fail.
}

}  // namespace plimsoll::objects
