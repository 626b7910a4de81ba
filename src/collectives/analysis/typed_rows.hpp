#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Ranks of a communicator that send (or receive) the same counts of elements of the same size.
struct TypedRow {
  std::span<const std::int64_t> counts;  ///< one for each peer, or one for all of them
  std::uint32_t peers = 0;
  std::uint64_t type_size = 0;
  NumberList ranks;

  /// Elements for a peer.
  std::uint64_t count(std::uint32_t peer) const {
    const std::int64_t count = counts.size() == 1 ? counts[0] : counts[peer];
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
  }
  /// Calls function(count, peers having it).
  template <class Function>
  void for_each_count(Function&& function) const {
    if (counts.size() == 1) return function(count(0), peers);
    for (std::uint32_t peer = 0; peer < peers; ++peer) function(count(peer), std::uint32_t{1});
  }
};

/// The rows of a side, those of ranks with different type sizes apart.
std::vector<TypedRow> rows_of(const Signature& signature, const Side& side);

/// What a call of a signature sends (or receives) in all.
std::uint64_t bytes_of(const Signature& signature, const Side& side);

}  // namespace plimsoll::collectives
