#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

#include "objects/checkpoint/checkpoint_manifest.hpp"
#include "objects/checkpoint/checkpoint_record.hpp"

namespace plimsoll::inline v0_1::objects {

/// Reads the checkpoint in a directory (CheckpointWriter), on any number of ranks.
class CheckpointReader {
 public:
  /// Reads the manifest. Collective. The communicator must outlive this object. Throws Error on all ranks:
  /// bad_input if the directory does not contain a complete checkpoint, or the manifest is damaged, else
  /// system.
  CheckpointReader(const mpi::Communicator& communicator, std::string folder);

  /// Returns the data that rank 0 passed to the CheckpointWriter.
  const std::vector<std::byte>& description() const { return manifest_.description; }

  /// Passes each record to `consume` on one of the ranks, after all checks of the record. Collective, but
  /// `consume` must not make collective calls. Each file is read by one rank, in blocks of consecutive files;
  /// memory: one record, and at least 1 MiB. Throws Error on all ranks if a file is missing or damaged
  /// (bad_input), or cannot be read (system), or `consume` throws. Discard all records then.
  void read(const ConsumeRecord& consume) const;

 private:
  const mpi::Communicator& communicator_;
  std::string folder_;
  CheckpointManifest manifest_;
};

}  // namespace plimsoll::objects
