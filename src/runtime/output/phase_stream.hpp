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
#include <thread>

#include <plimsoll/lbdata/metadata.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>

#include "runtime/output/pending_text.hpp"

namespace plimsoll::inline v0_1::runtime {

/// Streams the phases of one rank to its LB data file. Compression runs on a thread of its own, so that the
/// program waits for it only when it falls two phases behind. When write() returns, the phase survives the
/// end of the program, however that comes.
class PhaseStream {
 public:
  struct Options {
    lbdata::WriteOptions file;
    bool with_thread = true;  ///< used only if compressing
    /// Called by the thread before it compresses a phase, so that a test can hold it up; may be empty.
    std::function<void()> before_compressing;
  };

  /// Creates the files. Throws Error as lbdata::RankWriter does.
  PhaseStream(const std::string& path, const Options& options);
  /// Also begins the stream.
  PhaseStream(const std::string& path, const lbdata::RankMetadata& metadata, const Options& options);
  PhaseStream(const PhaseStream&) = delete;
  PhaseStream& operator=(const PhaseStream&) = delete;
  /// Without close(): the stream stays what it is, for `plimsoll repair`. One that was not begun is removed.
  ~PhaseStream();

  /// Begins the stream, before the first phase. Throws Error (system) if writing fails.
  void begin(const lbdata::RankMetadata& metadata);
  bool has_begun() const { return writer_.has_value(); }

  /// Appends a phase. Throws Error (system) if writing fails, or failed for an earlier phase.
  void write(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables);
  void set_metadata(const lbdata::RankMetadata& metadata);
  /// Ends the file and gives it its name. Throws Error as RankWriter::close().
  void close();
  /// Ends the file, which another process publishes (support::publish_files()); then remove_pending(). Throws
  /// Error as support::OutputFile::end().
  void end();
  void remove_pending();

 private:
  void compress_phases();
  void wait_until_drained(std::unique_lock<std::mutex>& lock);
  void rethrow();
  void stop_thread();

  bool metadata_last_;
  std::optional<support::OutputFile> file_;  // until the writer has it
  std::optional<lbdata::RankWriter> writer_;
  std::unique_ptr<PendingText> pending_;
  std::function<void()> before_compressing_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PendingText::Place> queue_;  // the first is being compressed
  std::exception_ptr failure_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace plimsoll::runtime
