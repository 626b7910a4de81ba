#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// One element of a checkpoint.
struct CheckpointRecord {
  std::uint32_t collection = 0;      ///< number of its collection
  std::uint64_t number = 0;          ///< linear number of its index
  std::span<const std::byte> bytes;  ///< its serialised state
};

}  // namespace plimsoll::objects

/// The files of a checkpoint, all in one directory:
///
///     checkpoint.manifest                 FileStart, description_bytes (std::uint64_t), a FileSummary per
///                                         record file, description, checksum (std::uint64_t) of all of this
///     checkpoint.<ID>.<number>.records    FileStart, then each record: RecordHeader, bytes of the element
///
/// A directory contains one checkpoint: that of the manifest, which names its record files by their ID (16
/// hexadecimal digits) and number (from 0). All other record files are ignored: programs that were killed
/// while they wrote a checkpoint have left them. New record files have a new ID, and the new manifest
/// replaces the old one when all of them are on the disk. Since POSIX replaces a file in one step, the
/// directory contains either the old checkpoint or the new one at any time.
///
/// Numbers are in the byte order of the machine that wrote the checkpoint, like the states of the elements.
/// The magic numbers identify the order. Nothing is aligned or padded between records.
///
/// All checksums are XXH3 with 64 bits. The checksum of a record has the previous one as its seed; the first
/// has the checksum of the FileStart. Records that are missing, repeated, reordered or from another file are
/// therefore detected.
namespace plimsoll::PLIMSOLL_ABI::objects::checkpoint_format {

inline constexpr std::uint64_t manifest_magic = 0x494e414d4b434c50;  // "PLCKMANI", little endian
inline constexpr std::uint64_t records_magic = 0x534345524b434c50;   // "PLCKRECS", little endian
inline constexpr std::uint32_t version = 1;

/// Beginning of each file. Magic number and version remain the same in later versions of the format.
struct FileStart {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t number;      ///< number of this record file; in the manifest, how many record files exist
  std::uint64_t checkpoint;  ///< ID of the checkpoint, chosen at random
};
static_assert(sizeof(FileStart) == 24);

/// The first part of a record file: all of it, as listed in the manifest, or what precedes a record.
struct FileSummary {
  std::uint64_t bytes = 0;     ///< size of this part; 0: what precedes the first record, wherever that begins
  std::uint64_t records = 0;   ///< number of its records
  std::uint64_t checksum = 0;  ///< checksum of its last record, or of its FileStart

  friend bool operator==(const FileSummary&, const FileSummary&) = default;
};
static_assert(sizeof(FileSummary) == 24);

/// Beginning of a record. Its checksum covers the preceding members, then the bytes of the element.
struct RecordHeader {
  std::uint64_t number;      ///< linear number of the element's index
  std::uint64_t bytes;       ///< size of the element's state, which follows
  std::uint32_t collection;  ///< number of the element's collection
  std::uint32_t reserved;    ///< 0
  std::uint64_t checksum;
};
static_assert(sizeof(RecordHeader) == 32);

std::string manifest_path(const std::string& folder);
std::string records_path(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number);
/// Returns the ID of the checkpoint to which a file of this name belongs, if it is a record file, either
/// complete or being written.
std::optional<std::uint64_t> checkpoint_of(const std::string& file_name);

/// Returns the checksum of a record after that of the previous one.
std::uint64_t checksum(const RecordHeader& header, std::span<const std::byte> bytes, std::uint64_t previous);

/// Throws Error (bad_input) unless the file at `path` begins with this magic number and a known version.
void check_start(const FileStart& start, std::uint64_t magic, const std::string& path);

/// Creates the Error (bad_input) about a damaged file, at an offset in it.
Error damaged(std::string what, const std::string& path, std::uint64_t byte);

}  // namespace plimsoll::objects::checkpoint_format

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Contents of a checkpoint's manifest (checkpoint_format.hpp).
struct CheckpointManifest {
  std::uint64_t checkpoint = 0;                       ///< ID of the checkpoint
  std::vector<checkpoint_format::FileSummary> files;  ///< summary of each record file, by number
  std::vector<std::byte> description;                 ///< data of the user that all ranks share
};

/// Returns the bytes of the file.
std::string to_text(const CheckpointManifest& manifest);
/// Returns the bytes of the manifest in a directory. Throws Error: bad_input if the directory contains no
/// manifest, system if it cannot be read.
std::string read_manifest(const std::string& folder);
/// Parses the manifest of a directory. Throws Error (bad_input) if it is damaged or its version is unknown.
CheckpointManifest parse_manifest(std::string_view text, const std::string& folder);

/// Removes the record files that do not belong to the manifest: those of the checkpoint that it replaced, and
/// those that killed programs have left. If that fails or the manifest is damaged, they remain until the
/// next call.
void remove_unlisted_files(const std::string& folder) noexcept;

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
  checkpoint_format::FileSummary written_;
};

class RecordInput;

/// Reads the records of a file one after the other. Keeps one record, and at least 1 MiB, in memory.
class RecordFileReader {
 public:
  /// Opens a file at a place that a reader of this file has returned. Throws Error: bad_input if the file is
  /// missing, damaged or does not match its summary, else system. So does next().
  RecordFileReader(const std::string& folder, std::uint64_t checkpoint, std::uint32_t number,
                   const checkpoint_format::FileSummary& summary,
                   const checkpoint_format::FileSummary& place = {});
  ~RecordFileReader();

  /// Returns the next record, after its checks, or nothing after the last one. Its bytes are valid until the
  /// next call.
  std::optional<CheckpointRecord> next();
  /// Returns the place of the record that next() will return.
  const checkpoint_format::FileSummary& place() const { return place_; }

 private:
  std::unique_ptr<RecordInput> input_;
  checkpoint_format::FileSummary summary_;
  checkpoint_format::FileSummary place_;
};

}  // namespace plimsoll::objects
