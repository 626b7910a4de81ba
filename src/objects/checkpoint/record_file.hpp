#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <plimsoll/support/output_file.hpp>

#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// A record file (checkpoint_format.hpp) that is being written. It does not exist under its name before
/// close().
class RecordFile {
 public:
  /// Creates the file. Throws Error as OutputFile does.
  RecordFile(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number);

  /// Appends a record through a buffer of 1 MiB; longer records are written directly. Throws Error (system).
  void add(const CheckpointRecord& record);
  /// Makes the file durable under its name, and returns its summary. Throws Error as OutputFile does.
  checkpoint_format::FileSummary close();

  const std::string& path() const { return file_.path(); }

 private:
  void write(std::span<const std::byte> bytes);

  support::OutputFile file_;
  std::uint64_t records_ = 0;
  std::uint64_t checksum_;
};

/// Beginning of a record in a file.
struct RecordPlace {
  std::uint64_t byte = 0;      ///< offset in the file; 0: of the first record, wherever it is
  std::uint64_t records = 0;   ///< number of records before it
  std::uint64_t checksum = 0;  ///< checksum of the record before it
};

class RecordInput;

/// Reads the records of a file one after the other. Keeps one record, and at least 1 MiB, in memory.
class RecordFileReader {
 public:
  /// Opens a file at a place that a reader of this file has returned. Throws Error: bad_input if the file is
  /// missing, damaged or does not match its summary, else system. So does next().
  RecordFileReader(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number,
                   const checkpoint_format::FileSummary& summary, const RecordPlace& place = {});
  ~RecordFileReader();

  /// Returns the next record, after its checks, or nothing after the last one. Its bytes are valid until the
  /// next call.
  std::optional<CheckpointRecord> next();
  /// Returns the place of the record that next() will return.
  const RecordPlace& place() const { return place_; }

 private:
  std::unique_ptr<RecordInput> input_;
  checkpoint_format::FileSummary summary_;
  RecordPlace place_;
};

}  // namespace plimsoll::objects
