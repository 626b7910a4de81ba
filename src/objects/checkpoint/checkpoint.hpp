#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Writes a checkpoint into a directory of a shared file system: one file per rank, and a manifest
/// (checkpoint_format.hpp). It replaces the checkpoint in that directory when finish() has completed it on
/// all ranks. If the program fails or is killed earlier, the previous checkpoint remains valid. While it is
/// being written, the directory contains both.
///
///     CheckpointWriter checkpoint(communicator, "run/checkpoint", description);
///     for (const Element& element : my_elements) checkpoint.add({0, element.number, serialised(element)});
///     checkpoint.finish();
class CheckpointWriter {
 public:
  /// Creates and locks the directory, and creates this rank's file. Collective. Each rank that reads the
  /// checkpoint gets the `description` of rank 0, such as the phase and the names of collections. The
  /// communicator must outlive this object. Throws Error on all ranks: usage if another program is writing a
  /// checkpoint there, else system.
  CheckpointWriter(const mpi::Communicator& communicator, std::string folder,
                   std::span<const std::byte> description);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  /// Removes this rank's file unless the checkpoint is complete. Not collective.
  ~CheckpointWriter();

  /// Adds a record of this rank; those of one collection after the other, in ascending order. If this fails,
  /// e.g. because the disk is full, finish() throws the Error on all ranks, so that callers need not agree on
  /// it.
  void add(const CheckpointRecord& record) noexcept;

  /// Writes everything to the disk and replaces the previous checkpoint. Collective; call it once. Throws
  /// Error on all ranks if it fails on any rank. The previous checkpoint is then still valid. If only the
  /// last step fails (renaming the manifest), the directory contains either checkpoint.
  void finish();

 private:
  void publish(const checkpoint_format::FileSummary& mine);

  const mpi::Communicator& communicator_;
  std::string folder_;
  std::vector<std::byte> description_;
  std::optional<support::FolderLock> lock_;  ///< held by rank 0 until the checkpoint is complete
  std::uint64_t checkpoint_ = 0;             ///< ID of the checkpoint
  std::optional<RecordFile> file_;
  std::optional<Error> failure_;  ///< first error of add()
  bool may_be_listed_ = false;    ///< whether the manifest in the directory may list this rank's file
};

/// Reads the checkpoint in a directory (CheckpointWriter), on any number of ranks.
class CheckpointReader {
 public:
  /// Reads the manifest. Collective. Throws Error on all ranks: bad_input if the directory does not
  /// contain a complete checkpoint, or the manifest is damaged, else system.
  CheckpointReader(const mpi::Communicator& communicator, std::string folder);

  /// Returns the data that rank 0 passed to the CheckpointWriter.
  const std::vector<std::byte>& description() const { return manifest_.description; }

  /// Returns the next record of a collection in the files that this rank reads, after all checks, or nothing
  /// if none is left. Its bytes are valid until the next call. Read the collections in ascending order, as
  /// they were written. Each file is read by one rank, in blocks of consecutive files. Not collective;
  /// memory: one record, and at least 1 MiB. Throws Error if a file is missing or damaged (bad_input), or
  /// cannot be read (system).
  std::optional<CheckpointRecord> next(std::uint32_t collection);

 private:
  std::string folder_;
  CheckpointManifest manifest_;
  std::uint32_t first_ = 0;                             ///< number of the first file of this rank
  std::vector<checkpoint_format::FileSummary> places_;  ///< what has been read of each file of this rank
  std::size_t current_ = 0;                             ///< position of the open file in places_
  std::optional<RecordFileReader> file_;                ///< the open file
};

}  // namespace plimsoll::objects
