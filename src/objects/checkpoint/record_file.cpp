#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/hash.hpp>

#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

using namespace checkpoint_format;

namespace {

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
