#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/version.hpp>

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

/// A collection in a checkpoint, which numbers its collections in the order of their creation.
struct SavedCollection {
  std::string name;
  std::string type;                 ///< std::type_info::name() of its elements
  std::vector<std::int64_t> sizes;  ///< bounds
  std::uint64_t n_elements = 0;

  /// Returns whether the program can create this collection for the elements of another.
  bool matches(const SavedCollection& other) const {
    return name == other.name && type == other.type && sizes == other.sizes;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, type, sizes, n_elements);
  }
};

/// What a checkpoint contains in addition to its elements: the description in its manifest.
struct CheckpointDescription {
  std::int64_t phase = 0;  ///< current phase when the checkpoint was written
  std::vector<SavedCollection> collections;
};

std::vector<std::byte> to_bytes(const CheckpointDescription& description);
/// Throws Error (bad_input) naming the directory if to_bytes() did not make the bytes.
CheckpointDescription parse_description(std::span<const std::byte> bytes, const std::string& folder);

/// Formats a collection for messages: `"cells" (Cell, 4 x 4)`.
std::string to_text(const SavedCollection& collection);

/// The checkpoint from which a program takes the elements of its collections, one collection after the other.
class Restart {
 public:
  /// Reads the manifest. Collective. Throws Error like CheckpointReader.
  Restart(const mpi::Communicator& ranks, const std::string& folder);

  const std::string& folder() const { return folder_; }
  std::int64_t phase() const { return description_.phase; }

  /// Returns whether the elements of all collections have been read.
  bool is_complete() const { return n_read_ == description_.collections.size(); }
  /// Throws Error (usage) unless this is the next collection of the checkpoint, or after an error of
  /// read_next().
  void expect(const SavedCollection& collection) const;
  /// Returns the number of elements of the next collection.
  std::uint64_t next_count() const { return description_.collections[n_read_].n_elements; }
  /// Throws Error (usage), naming the collections that have not been read, unless is_complete().
  void expect_complete() const;

  /// Reads the elements of the next collection, and passes each to `consume` on the rank that
  /// `rank_of(number)` returns. Collective, but these functions must not make collective calls. Ranks read
  /// and send about 16 MiB at a time in total, or one element each. Throws Error on all ranks if a file is
  /// damaged or a function throws.
  void read_next(const std::function<int(std::uint64_t number)>& rank_of,
                 const std::function<void(std::uint64_t number, std::span<const std::byte> bytes)>& consume);

 private:
  bool read_some(const std::function<int(std::uint64_t number)>& rank_of, mpi::Messages& messages);
  const mpi::Communicator& ranks_;
  std::string folder_;
  CheckpointReader reader_;
  CheckpointDescription description_;
  std::size_t n_read_ = 0;  ///< number of collections
  bool has_failed_ = false;
};

}  // namespace plimsoll::objects
