#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/support/brotli_encoder.hpp>
#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::support {

/// How to write a file.
struct OutputOptions {
  bool overwrite = false;                           ///< whether an existing file may be replaced
  std::optional<BrotliOptions> brotli;              ///< compress, or write plain text
  std::size_t buffer_bytes = std::size_t{1} << 20;  ///< bytes gathered before a write
  /// For suggestions: how to save what a killed program left in a `.partial`, such as "save it by ..."; may
  /// be empty.
  std::string rescue = {};
};

/// A file that comes into being whole or not at all: it grows under `NAME.partial` and gets its name when
/// closed. One that is never closed (an exception, a killed program) leaves what was flushed in the
/// `.partial`, and under NAME whatever was there before. While it is open, the `.partial` has an advisory
/// lock (flock, exclusive), where the file system can lock.
class OutputFile {
 public:
  /// Throws Error: usage if NAME exists, or NAME.partial does, and overwriting is not allowed; system if the
  /// file cannot be made.
  explicit OutputFile(std::string path, const OutputOptions& options = {});
  /// Throws the Error (usage) that the constructor would throw for this path now, without creating anything.
  static void check(const std::string& path, const OutputOptions& options);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  /// Without close(): writes what it can and keeps the `.partial`.
  ~OutputFile();

  /// Throws Error (system) if writing fails (disk full, quota).
  void write(std::string_view text);
  /// Hands everything written so far to the system: readable by others, and safe if this program is
  /// killed (though not if the machine is).
  void flush();
  /// Makes it durable under its name. Throws Error: system if that fails, usage if NAME has come into
  /// being meanwhile and overwriting is not allowed; the `.partial` then stays.
  void close();

  /// For a file of an OutputSet: ends it under its `.partial` name, where it waits for publish(). Not yet
  /// durable: one syncfs() serves all of them.
  void finish();
  /// Gives a finished file its name. Throws Error as close().
  static void publish(const std::string& path, bool overwrite);

  const std::string& path() const { return path_; }
  std::string partial_path() const { return path_ + ".partial"; }
  /// Bytes given to write(), and bytes of the file (final after close()).
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t file_bytes() const { return file_bytes_ + buffer_.size(); }

 private:
  void drain();
  void write_raw(std::string_view bytes);
  void end_text();
  void abandon() noexcept;

  std::string path_;
  OutputOptions options_;
  std::optional<BrotliEncoder> encoder_;
  std::string buffer_;
  Descriptor descriptor_;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
};

/// Gives a file another name in the same file system. Throws Error: usage if that exists and may not be
/// replaced, system if renaming fails.
void rename_file(const std::string& from, const std::string& to, bool overwrite);

}  // namespace plimsoll::support
