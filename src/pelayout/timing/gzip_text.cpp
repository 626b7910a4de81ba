#include "pelayout/timing/gzip_text.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>

#include "support/io/raw_input.hpp"

namespace plimsoll::pelayout {

namespace {

using support::RawInput;

constexpr std::size_t step_bytes = std::size_t{64} << 10;

/// The text of a file, front to back: what it holds, or what that expands to.
class GzipOrPlain {
 public:
  explicit GzipOrPlain(const std::string& path) : input_(path), compressed_(step_bytes, '\0') {
    refill();
    gzip_ = is_gzip(unread());
    if (gzip_ && inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  GzipOrPlain(const GzipOrPlain&) = delete;
  GzipOrPlain& operator=(const GzipOrPlain&) = delete;
  ~GzipOrPlain() {
    if (gzip_) inflateEnd(&stream_);
  }

  /// Appends the next piece, at most step_bytes; false at the end.
  bool append_to(std::string& text) {
    if (unread().empty()) refill();
    if (!gzip_) {
      text.append(unread());
      const bool more = !unread().empty();
      position_ = filled_;
      return more;
    }
    return inflate_to(text);
  }

 private:
  std::string_view unread() const {
    return std::string_view(compressed_).substr(position_, filled_ - position_);
  }

  void refill() {
    position_ = 0;
    filled_ = input_.read(compressed_.data(), compressed_.size());
  }

  bool inflate_to(std::string& text) {
    if (between_members_) {
      if (unread().empty()) return false;
      // Files written in several goes are several gzip streams, one after the other.
      inflateReset(&stream_);
      between_members_ = false;
    }
    const std::size_t size = text.size();
    text.resize(size + step_bytes);
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data() + position_);
    stream_.avail_in = static_cast<uInt>(filled_ - position_);
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream_.avail_out = static_cast<uInt>(step_bytes);
    const bool at_end = stream_.avail_in == 0;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    position_ = filled_ - stream_.avail_in;
    text.resize(size + step_bytes - stream_.avail_out);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      between_members_ = true;
      return true;
    }
    if (at_end && text.size() == size)
      throw support::TruncatedError({.what = "is a gzip file that ends too early",
                                     .file = input_.name(),
                                     .suggestion = "copy it again"});
    if (result != Z_OK && result != Z_BUF_ERROR)
      throw support::bad_input("is a broken gzip file", input_.name(), "copy it again");
    return true;
  }

  RawInput input_;
  std::string compressed_;  ///< what has been read of the file
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  bool gzip_ = false;
  bool between_members_ = false;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string read_gzip_or_plain(const std::string& path, std::uint64_t max_bytes) {
  GzipOrPlain source(path);
  std::string text;
  while (source.append_to(text)) {
    if (text.size() > max_bytes)
      throw support::SizeLimitError(
          {.what = fmt::format("has more than {} of text", support::format_bytes(max_bytes)),
           .file = path,
           .suggestion = "check whether this is the right file"});
  }
  return text;
}

std::string read_start_of_gzip_or_plain(const std::string& path, std::size_t bytes) {
  std::string text;
  GzipOrPlain source(path);
  try {
    while (text.size() < bytes && source.append_to(text)) {
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
  }
  text.resize(std::min(text.size(), bytes));
  return text;
}

}  // namespace plimsoll::pelayout
