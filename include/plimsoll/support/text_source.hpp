#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Limits on the expanded size of a file, so that a malicious one cannot exhaust memory or time.
struct SizeLimits {
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  ///< maximum decompressed size of one file
  std::uint64_t max_ratio = 1000;                    ///< maximum ratio of decompressed to compressed size
  /// Smaller texts are exempt from max_ratio: a thousand phases with equal loads legitimately compress to
  /// less than a thousandth. Small enough that a malicious file uses little memory.
  std::uint64_t ratio_allowance = std::uint64_t{64} << 20;
};

/// Properties of a format that a TextSource needs to distinguish plain text from a brotli stream, and to
/// write messages.
struct TextFormat {
  /// Whether a file that begins with `head` (up to 64 KiB, not only white space) is plain text of this
  /// format.
  bool (*begins_text)(std::string_view head);
  std::string_view name;  ///< name with its article: "a JSON object"
  std::string_view hint;  ///< hint for correcting a text of another format: "check that it begins with '{'"
};

/// The text of a file, plain or compressed by brotli, read from front to back. The kind is determined by the
/// content of the file, not by its name: content that TextFormat::begins_text does not recognise is treated
/// as a brotli stream.
class TextSource {
 public:
  /// Opens a file. Throws Error: system if the file cannot be opened, bad_input if it is a directory.
  TextSource(const std::string& path, const TextFormat& format, const SizeLimits& limits = {});
  /// Reads the file content in `content`, which must outlive the source; `name` is used in messages.
  TextSource(std::string_view content, std::string name, const TextFormat& format,
             const SizeLimits& limits = {});
  TextSource(TextSource&&) noexcept;
  TextSource& operator=(TextSource&&) noexcept;
  ~TextSource();

  /// Fills up to `size` bytes (more than 0) and returns their number, 0 only at the end. Text before any
  /// damage is delivered before the Error is thrown, so a reader that stops before 0 may miss the Error.
  /// Throws Error (bad_input) for a broken stream or bytes after it. This is a TruncatedError for an empty
  /// file or a stream that ends too early, and a SizeLimitError for a text that is too large. Throws Error
  /// (system) if reading fails.
  std::size_t read(char* buffer, std::size_t size);

  /// Returns whether the file is compressed.
  bool compressed() const;
  /// Returns the number of bytes of text delivered so far.
  std::uint64_t text_bytes() const;
  /// Returns the number of bytes of the file, for progress reports.
  std::uint64_t file_bytes() const;
  const std::string& name() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::support
