#include "collectives/profile_file/checked_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "collectives/profile_file/little_endian.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint32_t last_block = std::uint32_t{1} << 31;
constexpr std::size_t check_bytes = sizeof(std::uint64_t);

std::uint64_t check_of(std::span<const std::byte> bytes, std::uint32_t head, std::uint64_t offset) {
  return support::hash_bytes(bytes, support::mix_splitmix64(offset) ^ head);
}

}  // namespace

CheckedWriter::CheckedWriter(Sink sink)
    : sink_(std::move(sink)), block_(block_begin + max_block_bytes + check_bytes) {
  sink_(profile_file_magic);
  offset_ = profile_file_magic.size();
}

void CheckedWriter::put(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (size_ == max_block_bytes) write_block(false);
    const std::size_t part = std::min(bytes.size(), max_block_bytes - size_);
    std::memcpy(block_.data() + block_begin + size_, bytes.data(), part);
    size_ += part;
    bytes = bytes.subspan(part);
  }
}

void CheckedWriter::write_block(bool is_last) {
  const std::uint32_t head = static_cast<std::uint32_t>(size_) | (is_last ? last_block : 0);
  store_little_endian(head, block_.data());
  const std::span<const std::byte> bytes(block_.data() + block_begin, size_);
  store_little_endian(check_of(bytes, head, offset_), block_.data() + block_begin + size_);
  const std::size_t written = block_begin + size_ + check_bytes;
  sink_({reinterpret_cast<const char*>(block_.data()), written});
  offset_ += written;
  size_ = 0;
}

CheckedReader::CheckedReader(std::string name, std::uint64_t file_bytes, Source source)
    : name_(std::move(name)), file_bytes_(file_bytes), source_(std::move(source)) {
  std::array<std::byte, profile_file_magic.size()> magic;
  read(magic, "its first bytes");
  const std::string_view begin(reinterpret_cast<const char*>(magic.data()), magic.size());
  if (begin == profile_file_magic) return;
  if (begin.substr(0, begin.size() - 1) != profile_file_magic.substr(0, begin.size() - 1))
    fail_at(0, fmt::format("the file does not begin with {}", profile_file_magic));
  fail_at(begin.size() - 1,
          fmt::format("unknown format version: expected {}; written by another version of Plimsoll",
                      profile_file_magic.back()));
}

void CheckedReader::read(std::span<std::byte> bytes, std::string_view what) {
  if (file_bytes_ - offset_ < bytes.size())
    fail_at(file_bytes_, fmt::format("the file ends within {}", what));
  if (source_(reinterpret_cast<char*>(bytes.data()), bytes.size(), offset_) != bytes.size())
    fail_at(offset_, "the file became shorter while it was read");
  offset_ += bytes.size();
}

void CheckedReader::next_block() {
  if (was_last_) fail("the content ends too early");
  const std::uint64_t begin = offset_;
  std::array<std::byte, sizeof(std::uint32_t)> head_bytes;
  read(head_bytes, "the head of a block");
  const auto head = load_little_endian<std::uint32_t>(head_bytes.data());
  const std::uint32_t size = head & ~last_block;
  if (size > max_block_bytes)
    fail_at(begin, fmt::format("a block of {} bytes: expected up to {}", size, max_block_bytes));
  block_.resize(size + check_bytes);
  block_offset_ = offset_;
  read(block_, "a block");
  const std::span<const std::byte> bytes = std::span<const std::byte>(block_).first(size);
  if (load_little_endian<std::uint64_t>(block_.data() + size) != check_of(bytes, head, begin))
    fail_at(begin, "the checksum of the block does not match its content");
  was_last_ = (head & last_block) != 0;
  if (was_last_ && offset_ != file_bytes_) fail_at(offset_, "unexpected bytes after the last block");
  at_ = 0;
  end_ = size;
  if (size == 0 && !was_last_) fail_at(begin, "an empty block that is not the last one");
  if (size == 0) fail("the content ends too early");
}

void CheckedReader::get(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (at_ == end_) next_block();
    const std::size_t part = std::min(bytes.size(), end_ - at_);
    std::memcpy(bytes.data(), block_.data() + at_, part);
    at_ += part;
    bytes = bytes.subspan(part);
  }
}

void CheckedReader::expect_end() {
  if (at_ != end_ || !was_last_) fail("unexpected content after the end of the profile");
}

void CheckedReader::fail(std::string what) const {
  fail_at(block_offset_ + at_, std::move(what));
}

void CheckedReader::fail_at(std::uint64_t byte, std::string what) const {
  throw Error(support::ErrorKind::bad_input,
              {.check = "counts",
               .what = std::move(what),
               .file = name_,
               .byte = byte,
               .suggestion = "use the text files or the rank logs, if you have them"});
}

}  // namespace plimsoll::collectives
