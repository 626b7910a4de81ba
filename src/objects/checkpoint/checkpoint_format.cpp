#include "objects/checkpoint/checkpoint_format.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <regex>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects::checkpoint_format {

namespace {

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

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

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

support::Descriptor open_records(const std::string& path) {
  if (support::identity(path)) return support::open_input_file(path);
  throw support::bad_input("file of the checkpoint is missing", path,
                           "use a complete copy, or an earlier checkpoint");
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
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    const auto owner = checkpoint_of(entry.path().filename().string());
    std::error_code ignored;
    if (owner && owner != listed) std::filesystem::remove(entry.path(), ignored);
  });
} catch (...) {
  // The files only use space on the disk, which must not make a checkpoint fail.
}

using namespace checkpoint_format;

/// Reads a file to the size that it had when it was opened.
class RecordInput {
 public:
  RecordInput(std::string path, std::uint64_t position)
      : path_(std::move(path)), file_(open_records(path_)), position_(position) {
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0)
      throw support::system_error("cannot determine its size", path_, errno);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_ - buffered_.size(); }

  /// Returns the next bytes, which are valid until the next call. Throws Error (bad_input) beyond the end.
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > size_ - position()) {
      throw damaged(fmt::format("needs {} more bytes, but ends after {}", bytes, size_ - position()), path_,
                    position());
    }
    if (buffered_.size() < bytes) fill(static_cast<std::size_t>(bytes));
    const auto result = buffered_.first(static_cast<std::size_t>(bytes));
    buffered_ = buffered_.subspan(result.size());
    return result;
  }
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

 private:
  /// Reads until `bytes` are buffered.
  void fill(std::size_t bytes) {
    const std::size_t kept = buffered_.size();
    if (kept > 0) std::memmove(buffer_.data(), buffered_.data(), kept);
    if (buffer_.size() < bytes) buffer_.resize(std::max(bytes, buffer_bytes));
    buffered_ = {buffer_.data(), kept};
    while (buffered_.size() < bytes) read_more();
  }

  void read_more() {
    const std::size_t filled = buffered_.size();
    const ssize_t count = ::pread(file_.number(), buffer_.data() + filled, buffer_.size() - filled,
                                  static_cast<off_t>(position_));
    if (count < 0 && errno == EINTR) return;
    if (count < 0) throw support::system_error("cannot read", path_, errno);
    if (count == 0) throw damaged("was truncated while it was read", path_, position_);
    position_ += static_cast<std::uint64_t>(count);
    buffered_ = {buffer_.data(), filled + static_cast<std::size_t>(count)};
  }

  std::string path_;
  support::Descriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_;  ///< end of the buffered part
  std::vector<std::byte> buffer_;
  std::span<const std::byte> buffered_;  ///< part of the buffer that take() has not returned
};

namespace {

/// Reads the beginning of a record file. Throws Error (bad_input) if it belongs to another manifest.
FileStart take_start(RecordInput& input, std::uint64_t checkpoint, std::uint32_t number) {
  const auto start = input.take<FileStart>();
  check_start(start, records_magic, input.path());
  if (start.checkpoint != checkpoint || start.number != number) {
    throw damaged(fmt::format("contains file {} of checkpoint {:016x}: expected file {} of {:016x}",
                              start.number, start.checkpoint, number, checkpoint),
                  input.path(), offsetof(FileStart, number));
  }
  return start;
}

}  // namespace

RecordFile::RecordFile(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number)
    : file_(records_path(folder, checkpoint, number),
            {.buffer_bytes = buffer_bytes, .keep_unfinished = false}) {
  const FileStart start{records_magic, version, number, checkpoint};
  written_.checksum = support::hash_bytes(bytes_of(start));
  write(bytes_of(start));
}

void RecordFile::add(const CheckpointRecord& record) {
  RecordHeader header{.number = record.number, .bytes = record.bytes.size(), .collection = record.collection};
  written_.checksum = header.checksum = checksum(header, record.bytes, written_.checksum);
  write(bytes_of(header));
  write(record.bytes);
  ++written_.records;
}

FileSummary RecordFile::close() {
  file_.close();
  written_.bytes = file_.file_bytes();
  return written_;
}

void RecordFile::write(std::span<const std::byte> bytes) {
  file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

RecordFileReader::RecordFileReader(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number,
                                   const FileSummary& summary, const FileSummary& place)
    : input_(std::make_unique<RecordInput>(records_path(folder, checkpoint, number), place.bytes)),
      summary_(summary),
      place_(place) {
  if (place.bytes == 0) {
    const FileStart start = take_start(*input_, checkpoint, number);
    place_ = {.bytes = input_->position(), .checksum = support::hash_bytes(bytes_of(start))};
  }
  if (input_->size() != summary.bytes) {
    throw damaged(fmt::format("has {} bytes: expected {}", input_->size(), summary.bytes), input_->path(),
                  std::min(input_->size(), summary.bytes));
  }
}

RecordFileReader::~RecordFileReader() = default;

std::optional<CheckpointRecord> RecordFileReader::next() {
  if (place_.records == summary_.records) {
    if (place_ != summary_)
      throw damaged("does not match the manifest after the last record", input_->path(), place_.bytes);
    return std::nullopt;
  }
  const auto header = input_->take<RecordHeader>();
  const std::span<const std::byte> bytes = input_->take(header.bytes);
  if (checksum(header, bytes, place_.checksum) != header.checksum)
    throw damaged("record does not match its checksum", input_->path(), place_.bytes);
  place_ = {.bytes = input_->position(), .records = place_.records + 1, .checksum = header.checksum};
  return CheckpointRecord{.collection = header.collection, .number = header.number, .bytes = bytes};
}

}  // namespace plimsoll::objects
