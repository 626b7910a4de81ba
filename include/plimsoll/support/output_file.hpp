#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

struct BrotliEncoderStateStruct;

namespace plimsoll::PLIMSOLL_ABI::support {

/// Compression parameters. The defaults suit a program that writes while it computes: brotli's default
/// quality, 11, is a hundred times slower.
struct BrotliOptions {
  int quality = 4;  ///< 0 (fast) to 11 (small)
  int window = 20;  ///< log2 of the window in bytes, 10 to 24
  std::uint32_t size_hint_bytes =
      4 << 20;  ///< expected text size; without it quality 4 uses a weaker match finder
};

/// Encoder of one brotli stream. It appends compressed bytes to the caller's string.
class BrotliEncoder {
 public:
  /// Creates an encoder. Throws Error (usage) for a quality or window out of range.
  explicit BrotliEncoder(const BrotliOptions& options = {});

  /// Encodes text; the output may lag behind.
  void encode(std::string_view text, std::string& output);
  /// Outputs everything encoded so far, so that the bytes up to here decode to the complete text.
  void flush(std::string& output);
  /// Ends the stream; no text may follow.
  void finish(std::string& output);

 private:
  struct Destroy {
    void operator()(BrotliEncoderStateStruct* encoder) const;
  };
  void run(int operation, std::string_view text, std::string& output);

  std::unique_ptr<BrotliEncoderStateStruct, Destroy> encoder_;
};

/// Options for writing a file.
struct OutputOptions {
  bool overwrite = false;                           ///< whether an existing file may be replaced
  std::optional<BrotliOptions> brotli;              ///< compress; empty: write plain text
  std::size_t buffer_bytes = std::size_t{1} << 20;  ///< bytes collected before a write
  /// Whether a file that is never closed stays as `NAME.partial`. Partial output files need this; 'plimsoll
  /// repair' completes them. Otherwise the file grows under `NAME.unfinished`, which is removed. If the
  /// program was killed, the next file replaces it.
  bool keep_unfinished = true;
  /// Hint for rescuing the `.partial` file of a killed program, such as "save it by ..."; may be empty.
  std::string rescue = {};
};

/// A file that is created completely or not at all: it grows under `NAME.partial` and gets its name when
/// closed. If it is never closed (an exception, a killed program), the flushed data stay in the `.partial`
/// file, unless nothing was written. An earlier file NAME then remains unchanged.
///
/// Until it has its name, it is open and has an advisory lock (flock, exclusive), if the file system supports
/// locks. Programs that overwrite files respect this lock. It never writes through a link or to a device or a
/// FIFO, and never renames or removes a file of another program. A forked child of the program does not touch
/// it.
class OutputFile {
 public:
  /// Creates the file. Throws Error: usage if NAME or NAME.partial exists and overwriting is not allowed, or
  /// if one of them cannot be replaced (see create_file()); system if the file cannot be created.
  explicit OutputFile(std::string path, const OutputOptions& options = {});
  /// Throws the Error (usage) that the constructor would throw for this path now, without creating anything.
  static void check(const std::string& path, const OutputOptions& options);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&& other) noexcept;
  /// Closes the file. Without close(), it writes as much as possible and keeps the `.partial` file (see
  /// OutputOptions::keep_unfinished).
  ~OutputFile();

  /// Writes text. Throws Error (system) if writing fails (disk full, quota). All later calls, including
  /// close(), then throw it again.
  void write(std::string_view text);
  /// Passes everything written so far to the system. Other processes can read it, and it survives if this
  /// program is killed, but not if the machine crashes.
  void flush();
  /// Makes the file durable under its name. Throws Error: system if that fails, or if another program has
  /// removed or replaced the `.partial` file; usage if NAME has been created meanwhile and overwriting is not
  /// allowed. The `.partial` file then remains.
  void close();
  /// Closes several files: they get their names when all are complete and durable. A signal that stops the
  /// program (see CleanUpOnStop) waits until all have their names.
  static void close_together(std::span<OutputFile> files);

  /// Completes the file under its `.partial` name and makes it durable, so that another process can publish
  /// it (publish_files()). The file stays open and locked.
  void end();
  /// Ends a file of an OutputSet under its temporary name and closes it, because a process cannot have
  /// thousands of files open. From now on, the set's FolderLock protects it. It is not durable yet.
  void finish();

  const std::string& path() const { return path_; }
  std::string partial_path() const { return path_ + (options_.keep_unfinished ? ".partial" : ".unfinished"); }
  /// Returns the identity of the file.
  const FileIdentity& identity() const { return identity_; }
  bool is_compressed() const { return encoder_.has_value(); }
  /// Returns the number of bytes passed to write(), and the size of the file in bytes (final after close()).
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t file_bytes() const { return file_bytes_ + buffer_.size(); }

 private:
  void drain();
  void write_raw(std::string_view bytes);
  void end_text();
  void expect_own() const;

  std::string path_;
  OutputOptions options_;
  std::optional<BrotliEncoder> encoder_;
  std::string buffer_;
  Descriptor descriptor_;
  FileIdentity identity_;
  pid_t process_;
  std::optional<Error> failure_;  ///< error of the first failed write; every later write fails too
  std::uint64_t text_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
};

/// Renames a file within the same file system. Throws Error: usage if the new name exists and may not be
/// replaced, system if renaming fails.
void rename_file(const std::string& from, const std::string& to, bool overwrite);

}  // namespace plimsoll::support
