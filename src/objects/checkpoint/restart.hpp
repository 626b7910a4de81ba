#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/version.hpp>

#include "objects/checkpoint/checkpoint.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

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
