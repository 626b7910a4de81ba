#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

/// Framing of a profile file: the first eight bytes, which contain the version, then blocks. A block is the
/// number of its bytes (4 bytes, little endian; the highest bit marks the last block), these bytes, and their
/// checksum (8 bytes, little endian). The checksum depends on the place of the block in the file. Every
/// change of one bit and every truncation is therefore detected before the content is used, and neither side
/// needs memory for more than one block.
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The first bytes of a profile file; the last one is the digit of the version.
inline constexpr std::string_view profile_file_magic = "PCOLPRF1";
/// Maximum number of bytes in a block.
inline constexpr std::size_t max_block_bytes = std::size_t{1} << 16;

/// Writes bytes in blocks.
class CheckedWriter {
 public:
  using Sink = std::function<void(std::string_view)>;
  explicit CheckedWriter(Sink sink);

  void put(std::byte byte) {
    if (size_ == max_block_bytes) write_block(false);
    block_[block_begin + size_++] = byte;
  }
  void put(std::span<const std::byte> bytes);
  /// Writes the last block; must be called at the end.
  void finish() { write_block(true); }

 private:
  static constexpr std::size_t block_begin = sizeof(std::uint32_t);
  void write_block(bool is_last);

  Sink sink_;
  std::vector<std::byte> block_;  // room for the size, the bytes and the checksum
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;  // of the block in the file
};

/// Reads the bytes of blocks. All functions throw Error (bad_input) that names file and byte if the file is
/// damaged, or ends too early.
class CheckedReader {
 public:
  /// Function that reads up to this many bytes at a position of the file, and returns their number.
  using Source = std::function<std::size_t(char* buffer, std::size_t size, std::uint64_t position)>;

  /// Reads the first bytes. `name` is used in errors.
  CheckedReader(std::string name, std::uint64_t file_bytes, Source source);

  std::byte get() {
    if (at_ == end_) next_block();
    return block_[at_++];
  }
  void get(std::span<std::byte> bytes);
  /// Checks that the file ends here.
  void expect_end();

  /// Returns an upper bound of the number of bytes that follow.
  std::uint64_t remaining() const { return end_ - at_ + (file_bytes_ - offset_); }
  /// Throws Error (bad_input) about the content at the current byte.
  [[noreturn]] void fail(std::string what) const;
  const std::string& name() const { return name_; }

 private:
  [[noreturn]] void fail_at(std::uint64_t byte, std::string what) const;
  void next_block();
  void read(std::span<std::byte> bytes, std::string_view what);

  std::string name_;
  std::uint64_t file_bytes_;
  Source source_;
  std::vector<std::byte> block_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t block_offset_ = 0;  // of the bytes of block_ in the file
  std::uint64_t offset_ = 0;        // of the next block in the file
  bool was_last_ = false;
};

}  // namespace plimsoll::collectives
