#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// Bounds on what a file may expand to, so that a hostile one cannot fill memory or time.
struct SizeLimits {
  std::uint64_t max_bytes = std::uint64_t{4} << 30;         ///< decompressed size of one file
  std::uint64_t max_ratio = 1000;                           ///< decompressed : compressed ...
  std::uint64_t ratio_allowance = std::uint64_t{64} << 20;  ///< ... beyond this many decompressed bytes
};

/// What a TextSource must know about a format to tell its plain text from a brotli stream, and for messages.
struct TextFormat {
  /// Whether a file that begins with `head` (up to 64 KiB, not only white space) is plain text of this
  /// format.
  bool (*begins_text)(std::string_view head);
  std::string_view name;  ///< with its article: "a JSON object"
  std::string_view hint;  ///< how to correct a text of another format: "it must begin with '{'"
  /// How to recover the intact part of a damaged file, after "copy it again, or"; may be empty.
  std::string_view rescue = {};
};

/// The text of a file, plain or compressed by brotli, front to back. The content decides which of the two it
/// is, not the name of the file: what TextFormat::begins_text does not recognise is taken as a brotli stream.
class TextSource {
 public:
  /// Throws Error: system if the file cannot be opened, bad_input if it is a directory.
  TextSource(const std::string& path, const TextFormat& format, const SizeLimits& limits = {});
  /// Reads the file content held by `content`, which must outlive the source; `name` is for messages.
  TextSource(std::string_view content, std::string name, const TextFormat& format,
             const SizeLimits& limits = {});
  TextSource(TextSource&&) noexcept;
  TextSource& operator=(TextSource&&) noexcept;
  ~TextSource();

  /// Fills up to `size` bytes (more than 0); returns how many, 0 only at the end.
  /// Throws Error: bad_input for a broken stream or bytes after it, as TruncatedError for an empty file or a
  /// stream that ends too early, as SizeLimitError for one that is too large; system if reading fails. What
  /// precedes the damage is delivered before it is thrown, so that a reader who stops before 0 may miss it.
  std::size_t read(char* buffer, std::size_t size);

  /// Whether the file is compressed.
  bool compressed() const;
  /// Bytes of text delivered so far.
  std::uint64_t text_bytes() const;
  /// Bytes of the file consumed so far, and in all, for progress.
  std::uint64_t consumed_bytes() const;
  std::uint64_t file_bytes() const;
  const std::string& name() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::support
