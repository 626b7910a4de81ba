#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

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

}  // namespace plimsoll::objects
