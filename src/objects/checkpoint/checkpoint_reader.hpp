#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

#include "objects/checkpoint/checkpoint_manifest.hpp"
#include "objects/checkpoint/checkpoint_record.hpp"
#include "objects/checkpoint/record_file.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

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
  std::uint32_t first_ = 0;               ///< number of the first file of this rank
  std::vector<RecordPlace> places_;       ///< in each file of this rank
  std::size_t current_ = 0;               ///< position of the open file in places_
  std::optional<RecordFileReader> file_;  ///< the open file
};

}  // namespace plimsoll::objects
