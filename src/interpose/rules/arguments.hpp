#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "interpose/handles/communicators.hpp"
#include "interpose/rules/transfer.hpp"
#include "interpose/wrappers/fortran_arguments.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Datatypes in the program's memory: one, or one per peer (Alltoallw), as C or Fortran handles.
class Types {
 public:
  Types() = default;
  Types(const MPI_Datatype& one) : c_(&one) {}
  Types(const MPI_Datatype* first) : c_(first), one_per_peer_(true) {}
  Types(const FortranHandles<MPI_Datatype>& handles) : fortran_(handles), one_per_peer_(true) {}
  bool given() const { return c_ != nullptr || fortran_.given(); }
  bool one_per_peer() const { return one_per_peer_; }
  MPI_Datatype operator[](std::size_t k) const { return c_ ? c_[k] : fortran_[k]; }

 private:
  const MPI_Datatype* c_ = nullptr;
  FortranHandles<MPI_Datatype> fortran_;
  bool one_per_peer_ = false;
};

/// Arguments of one side of a collective call: a count for each peer, or one for all. Displacements are unset
/// for operations without displacements.
struct Side {
  const void* buffer = nullptr;
  collectives::IntegerSpan counts;
  collectives::IntegerSpan displacements;
  Types types;
  bool has_one_count = false;

  /// Returns the bytes of the part for a peer. The type for a peer with count 0 may be invalid.
  std::uint64_t bytes_of(std::size_t peer) const {
    const std::int64_t count = counts[has_one_count ? 0 : peer];
    return count == 0 ? 0 : message_bytes(count, types[types.one_per_peer() ? peer : 0]);
  }
  /// Returns the bytes of the parts for these peers.
  std::uint64_t bytes_of(const Peers& peers) const {
    if (has_one_count) return bytes_of(0) * peers.count;
    if (!types.one_per_peer() && !peers.positions) return message_bytes(counts.sum(peers.count), types[0]);
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < peers.count; ++k) bytes += bytes_of(peers[k]);
    return bytes;
  }
};

/// Arguments of a collective call with a side that is sent and one that is received. In-place calls send from
/// the receive buffer, so both sides are the same.
struct Arguments {
  collectives::Operation operation;
  MPI_Comm comm = MPI_COMM_NULL;
  bool in_place = false;
  Side send;
  Side recv;
};

}  // namespace plimsoll::interpose
