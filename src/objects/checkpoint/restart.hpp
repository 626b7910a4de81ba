#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>

#include "objects/checkpoint/checkpoint_description.hpp"
#include "objects/checkpoint/checkpoint_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

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
  std::vector<mpi::Parcel> read_some(const std::function<int(std::uint64_t number)>& rank_of);

  const mpi::Communicator& ranks_;
  std::string folder_;
  CheckpointReader reader_;
  CheckpointDescription description_;
  std::size_t n_read_ = 0;  ///< number of collections
  bool has_failed_ = false;
};

}  // namespace plimsoll::objects
