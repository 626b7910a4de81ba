#pragma once

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

// Saturating arithmetic: results that do not fit stay at the maximum instead of wrapping around, because
// files can contain any number.

inline std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/// Ranks of a communicator that send (or receive) the same counts of elements of the same size.
struct TypedRow {
  std::span<const std::int64_t> counts;  ///< one per peer, or one for all peers
  std::uint32_t peers = 0;
  std::uint64_t type_size = 0;
  NumberList ranks;

  /// Returns the number of elements for a peer.
  std::uint64_t count(std::uint32_t peer) const {
    const std::int64_t count = counts.size() == 1 ? counts[0] : counts[peer];
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
  }
  /// Returns the bytes of `count` elements.
  std::uint64_t bytes_of(std::uint64_t count) const { return multiply(count, type_size); }
  /// Calls function(count, number of peers with this count).
  template <class Function>
  void for_each_count(Function&& function) const {
    if (counts.size() == 1) return function(count(0), peers);
    for (std::uint32_t peer = 0; peer < peers; ++peer) function(count(peer), std::uint32_t{1});
  }
  /// Returns the bytes that one of the ranks sends (or receives) in one call.
  std::uint64_t bytes() const {
    std::uint64_t elements = 0;
    for_each_count(
        [&](std::uint64_t count, std::uint32_t n) { elements = add(elements, multiply(count, n)); });
    return bytes_of(elements);
  }
};

// `remote_size` is the size of the remote group if the calls are on an inter-communicator, else 0.

/// Returns the rows of one side. Ranks with different type sizes get separate rows.
std::vector<TypedRow> rows_of(const Signature& signature, const Side& side, std::uint32_t remote_size = 0);

/// Returns the spread of the bytes that each rank sends (or receives) in one call of a signature. On an
/// inter-communicator, it includes the ranks of the other group, which send what this group receives.
Spread bytes_per_rank(const Signature& signature, Direction direction, std::uint32_t remote_size);

/// Returns the total bytes that all ranks send (or receive) in one call of a signature.
std::uint64_t bytes_of(const Signature& signature, const Side& side, std::uint32_t remote_size = 0);

/// Returns traffic of 0 bytes between ranks. Throws Error (usage) if they are more than Traffic::max_ranks.
Traffic no_traffic(std::size_t ranks, bool with_messages);

}  // namespace plimsoll::collectives
