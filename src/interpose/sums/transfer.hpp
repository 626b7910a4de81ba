#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Data that one successful call transfers.
struct Transfer {
  /// A message between this rank and a peer.
  struct Message {
    int peer = -1;  ///< rank in MPI_COMM_WORLD; negative: none
    std::uint64_t bytes = 0;
  };

  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  Message to;    ///< to the peer: a message, or one-sided communication that writes
  Message from;  ///< from the peer: one-sided communication that reads
};

}  // namespace plimsoll::interpose
