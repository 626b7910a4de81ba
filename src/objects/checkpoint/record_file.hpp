#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/support/output_file.hpp>

#include "objects/checkpoint/checkpoint_format.hpp"
#include "objects/checkpoint/checkpoint_record.hpp"

namespace plimsoll::inline v0_1::objects {

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

/// Passes each record of a file to `consume`, after its checks. Keeps one record, and at least 1 MiB, in
/// memory. Throws Error: bad_input if the file is missing, damaged or does not match its summary, else
/// system; also the exceptions of `consume`.
void read_record_file(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number,
                      const checkpoint_format::FileSummary& summary, const ConsumeRecord& consume);

}  // namespace plimsoll::objects
