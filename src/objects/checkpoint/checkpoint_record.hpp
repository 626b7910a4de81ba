#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// One element of a checkpoint.
struct CheckpointRecord {
  std::uint32_t collection = 0;      ///< number of its collection
  std::uint64_t number = 0;          ///< linear number of its index
  std::span<const std::byte> bytes;  ///< its serialised state
};

}  // namespace plimsoll::objects
