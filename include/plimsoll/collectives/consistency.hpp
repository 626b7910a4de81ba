#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A pair of ranks of a communicator whose sent and received bytes differ.
struct Mismatch {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

/// Calls whose sent and received bytes differ.
struct Inconsistency {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t first_call = 0;
  std::uint64_t calls = 0;
  Mismatch pair;  ///< first mismatch
};

/// Returns the first pair, sorted by sender and then by receiver, whose sent and received bytes differ;
/// nothing if all match. Cannot be used for inter-communicators: the counts of the other group are in another
/// count set. Cost: O(numbers), even if many ranks share a row.
std::optional<Mismatch> first_mismatch(const Signature& signature);

}  // namespace plimsoll::collectives
