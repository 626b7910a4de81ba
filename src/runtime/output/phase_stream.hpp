#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Text of completed phases that the partial output file does not contain yet. The text is kept in a second
/// file in the same directory (`NAME.pending`), as an LB data file without its end. If the program is killed,
/// its completed phases can be recovered from both files. The text ends at the first NUL; data after the NUL
/// belong to earlier phases. Overwriting old data is several times as fast as truncating the file each time.
///
/// If phases are elided, the file begins with a line about them (lbdata::ElidedPhases), followed by the
/// metadata: the partial output file contains neither until it is complete.
class PendingText {
 public:
  /// Replaces the file of an earlier run. The caller must have the partial output file open and locked.
  /// Throws the same Errors as support::create_file().
  explicit PendingText(const std::string& path, std::optional<lbdata::ElidedPhases> elided = {});

  /// Position of one phase's text.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// Appends the text of the next phase. Throws Error (system) if writing fails; the text is then unchanged.
  Place append(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables);
  /// Sets the metadata, which are written if phases are elided. Call it only while no text is pending. Throws
  /// Error (system) if writing fails.
  void set_metadata(const lbdata::RankMetadata& metadata);
  /// Counts an elided phase. Throws Error (system) if writing fails.
  void elide(std::int64_t phase);
  /// Reads text that was appended. May be called by another thread than append(). Throws Error (system).
  void read(Place place, std::string& text) const;
  /// Marks the text as written to the partial output file. The next text overwrites it.
  void clear() { size_bytes_ = head_bytes_; }
  /// Deletes the file.
  void remove();
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  void write_head();
  void write(std::string_view bytes, std::uint64_t position);

  std::string path_;
  support::Descriptor descriptor_;
  std::optional<lbdata::ElidedPhases> elided_;
  std::string metadata_;          // JSON text; empty if it is not written
  std::uint64_t head_bytes_ = 0;  // text before the first phase; 0 until it is written
  std::uint64_t size_bytes_ = 0;
};

/// Streams the phases of one rank to its LB data file. A background thread compresses them, so the program
/// waits only if two phases are not yet compressed. After write() has returned, the phase is safe even if the
/// program is killed.
class PhaseStream {
 public:
  struct Options {
    lbdata::WriteOptions file;
    bool with_thread = true;  ///< used only for compression
    /// Kinds of phases that the program elides, if any; see elide().
    std::optional<lbdata::ElidedPhases> elided;
    /// Called by the thread before each compression, so that tests can delay it; may be empty.
    std::function<void()> before_compressing;
  };

  /// Creates the files. Throws the same Errors as lbdata::RankWriter.
  PhaseStream(const std::string& path, const Options& options);
  /// Creates the files and begins the stream.
  PhaseStream(const std::string& path, const lbdata::RankMetadata& metadata, const Options& options);
  PhaseStream(const PhaseStream&) = delete;
  PhaseStream& operator=(const PhaseStream&) = delete;
  /// Without close(), keeps the partial output file for `plimsoll repair`. Without begin(), removes the file.
  ~PhaseStream();

  /// Begins the stream, before the first phase. Throws Error (system) if writing fails.
  void begin(const lbdata::RankMetadata& metadata);
  bool has_begun() const { return writer_.has_value(); }

  /// Appends the phase. Throws Error (system) if writing fails, or failed for an earlier phase.
  void write(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables);
  /// Counts an ended phase that is not written, so that it can be listed even if the program is killed.
  /// Throws Error (system) if writing fails, or failed for an earlier phase.
  void elide(std::int64_t phase);
  /// Sets the metadata of a file that ends with them (lbdata::WriteOptions::metadata_last).
  void set_metadata(const lbdata::RankMetadata& metadata);
  /// Completes the file and renames it to its final name. Throws the same Errors as RankWriter::close().
  void close();
  /// Completes the file, which another process then publishes (support::publish_files()). Call
  /// remove_pending() afterwards. Throws the same Errors as support::OutputFile::end().
  void end();
  void remove_pending();

 private:
  void compress_phases();
  void wait_until_drained(std::unique_lock<std::mutex>& lock);
  void rethrow();
  void stop_thread();

  bool metadata_last_;
  bool with_thread_;
  std::optional<support::OutputFile> file_;  // moved to the writer when the stream begins
  std::optional<lbdata::RankWriter> writer_;
  std::unique_ptr<PendingText> pending_;
  std::function<void()> before_compressing_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PendingText::Place> queue_;  // phases to compress; the first is in progress
  std::exception_ptr failure_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace plimsoll::runtime
