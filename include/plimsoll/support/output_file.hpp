#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/brotli_encoder.hpp>
#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/new_file.hpp>

namespace plimsoll::inline v0_1::support {

/// How to write a file.
struct OutputOptions {
  bool overwrite = false;                           ///< whether an existing file may be replaced
  std::optional<BrotliOptions> brotli;              ///< compress, or write plain text
  std::size_t buffer_bytes = std::size_t{1} << 20;  ///< bytes gathered before a write
  /// What becomes of a file that is never closed: it stays as `NAME.partial`, as streams must, which
  /// 'plimsoll repair' completes. Else it grows under `NAME.unfinished`, which is removed, or replaced by the
  /// next file if the program was killed.
  bool keep_unfinished = true;
  /// For suggestions: how to save what a killed program left in a `.partial`, such as "save it by ..."; may
  /// be empty.
  std::string rescue = {};
};

/// A file that comes into being whole or not at all: it grows under `NAME.partial` and gets its name when
/// closed. One that is never closed (an exception, a killed program) leaves what was flushed in the
/// `.partial`, unless nothing was written, and under NAME whatever was there before.
///
/// Until it has its name, it is open and has an advisory lock (flock, exclusive), where the file system can
/// lock: who overwrites files respects it. Never is a file written that a link, a device or a FIFO leads to,
/// and no file of another program is renamed or removed. A forked child of the program does nothing to it.
class OutputFile {
 public:
  /// Throws Error: usage if NAME exists, or NAME.partial does, and overwriting is not allowed, or if one of
  /// them cannot be replaced (see create_file()); system if the file cannot be made.
  explicit OutputFile(std::string path, const OutputOptions& options = {});
  /// Throws the Error (usage) that the constructor would throw for this path now, without creating anything.
  static void check(const std::string& path, const OutputOptions& options);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  /// Without close(): writes what it can and keeps the `.partial`, see OutputOptions::keep_unfinished.
  ~OutputFile();

  /// Throws Error (system) if writing fails (disk full, quota); all that follows, close() too, then throws it
  /// again.
  void write(std::string_view text);
  /// Hands everything written so far to the system: readable by others, and safe if this program is
  /// killed (though not if the machine is).
  void flush();
  /// Makes it durable under its name. Throws Error: system if that fails, or if another program has removed
  /// or replaced the `.partial`; usage if NAME has come into being meanwhile and overwriting is not allowed.
  /// The `.partial` then stays.
  void close();
  /// close() of several: they get their names when all are whole and durable, and a signal that is to stop
  /// the program (see CleanUpOnStop) waits until all have.
  static void close_together(std::span<OutputFile> files);

  /// For a file that another process publishes (publish_files()): ends it under its `.partial` name, and
  /// makes it durable there. It stays open and locked.
  void end();
  /// For a file of an OutputSet: ends it under the name that it grows under and closes it, because a process
  /// cannot have thousands of files open; from now on, the set's FolderLock protects it. Not yet durable.
  void finish();

  const std::string& path() const { return path_; }
  std::string partial_path() const { return path_ + (options_.keep_unfinished ? ".partial" : ".unfinished"); }
  /// Which file it is.
  const FileIdentity& identity() const { return identity_; }
  /// Bytes given to write(), and bytes of the file (final after close()).
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t file_bytes() const { return file_bytes_ + buffer_.size(); }

 private:
  void drain();
  void write_raw(std::string_view bytes);
  void end_text();
  void expect_own() const;
  void abandon() noexcept;

  std::string path_;
  OutputOptions options_;
  std::optional<BrotliEncoder> encoder_;
  std::string buffer_;
  Descriptor descriptor_;
  FileIdentity identity_;
  pid_t process_;
  std::optional<Error> failure_;  ///< of the write that failed; every later one fails too
  std::uint64_t text_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
};

/// Gives a file another name in the same file system. Throws Error: usage if that exists and may not be
/// replaced, system if renaming fails.
void rename_file(const std::string& from, const std::string& to, bool overwrite);

}  // namespace plimsoll::support
