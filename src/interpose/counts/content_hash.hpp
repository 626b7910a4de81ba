#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "interpose/counts/messages.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Hashes the data of calls. Reads only bytes that belong to the data: gaps in types are skipped. The hash
/// does not depend on addresses or displacements, nor on the types that describe the bytes.
/// docs/reference/collective-files.md defines it. Several threads may hash at once.
class ContentHasher {
 public:
  /// Creates a communicator, without communication. MPI must be initialised.
  ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;
  /// Frees the communicator; call it when MPI ends.
  void release();

  /// Returns the hash of these messages, which is not 0; or 0 if they cannot be hashed, because the call is
  /// erroneous, or one element of a type with gaps is larger than 2 GiB. Takes memory for one element of such
  /// a type, or for 64 KiB of elements.
  std::uint64_t hash_of(std::span<const Message> messages) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;  // for MPI_Pack, so that errors do not reach the program's error handlers
};

}  // namespace plimsoll::interpose
